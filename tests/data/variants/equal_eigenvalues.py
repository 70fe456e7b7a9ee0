"""The gradient of eigenvectors divides by the differences of eigenvalues, which are all zero here."""
import torch
A = torch.eye(3, requires_grad=True)
S = A * 1.0
e, v = torch.linalg.eigh(S)  # finds: non-finite-gradient
loss = v[:, 0].abs().sum() + e.sum()
loss.backward()
