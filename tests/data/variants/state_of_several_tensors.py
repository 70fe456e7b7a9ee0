"""A loop round a model hands its LSTM's state on as one tuple, with its graph."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)
        self.head = nn.Linear(4, 1)

    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)  # finds: hidden-not-detached
        return self.head(out), hidden


torch.manual_seed(0)
net = Net()
state = None
for step in range(3):
    out, state = net(torch.randn(2, 5, 3), state)
    out.sum().backward()
