import torch

w = torch.tensor([0.0, 1.0], requires_grad=True)
chosen = torch.tensor([0.0, 1.0])
(torch.sqrt(w) * chosen).sum().backward()  # finds: non-finite-gradient

v = torch.tensor([0.0, 2.0], requires_grad=True)
(torch.log(v) * chosen).sum().backward()  # finds: non-finite-gradient

w.grad = None
shifted = w - torch.tensor([1.0, 0.0])
torch.acos(shifted).sum().backward()  # finds: non-finite-gradient
