"""A detached branch: half of the parameters never move.

The encoder's features are standardised with numpy on their way to the head. numpy refuses a tensor
that needs a gradient, so somebody wrote .detach() in front of it, and the error was gone. Training
runs, the loss falls, and the encoder stays as it was born: no gradient reaches it.
"""

import torch

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 8)
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)

for _ in range(3):
    optimizer.zero_grad()
    features = torch.tanh(encoder(x)).detach().numpy()
    scaled = (features - features.mean(0)) / features.std(0)
    loss = (head(torch.from_numpy(scaled)) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
print("encoder:", encoder.weight.grad)
