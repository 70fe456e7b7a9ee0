import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(6, 4)
codebook = nn.Parameter(torch.randn(4, 3))
data = torch.randn(10, 6)
target = torch.randn(10, 3)
opt = torch.optim.SGD([*encoder.parameters(), codebook], lr=0.1)
for _ in range(2):
    scores = encoder(data)
    picked = scores.argmax(dim=1)  # finds: detached
    rebuilt = codebook[picked]
    loss = (rebuilt - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(encoder.weight.grad)
