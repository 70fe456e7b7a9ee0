import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 10)
        self.read = nn.Linear(10, 3)
        self.memory = torch.zeros(4, 10)

    def forward(self, frame):
        self.memory = self.cell(frame, self.memory)  # finds: hidden-not-detached
        return self.read(self.memory)


torch.manual_seed(0)
tagger = Tagger()
optimizer = torch.optim.SGD(tagger.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(3):
    scores = tagger(torch.randn(4, 6))
    cost = criterion(scores, torch.randint(0, 3, (4,)))
    optimizer.zero_grad()
    cost.backward()
    optimizer.step()
