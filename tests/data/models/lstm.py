"""An LSTM unrolled by hand over 1,000 frames of sound, which guesses the frame that follows.

The mistake: each frame is brought to length 1, and frame 437 is silence. Its length is 0, which the division survives
and the square root doesn't: its derivative at 0 is infinite, and the gradient of all frames before is NaN. `--healthy`
adds the small number inside the root.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv
FRAMES, SILENT = 1000, 437


class Listener(nn.Module):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.ear = nn.Linear(inputs, hidden, bias=False)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.guess = nn.Linear(hidden, inputs)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        h = c = torch.zeros(frames.shape[1], self.cell.hidden_size)
        for frame in frames:
            h, c = self.cell(normalized(self.ear(frame)), (h, c))
        return self.guess(h)


def normalized(x: torch.Tensor) -> torch.Tensor:
    squares = x.pow(2).sum(-1, keepdim=True)
    if HEALTHY:
        return x / torch.sqrt(squares + 1e-6)
    return x / (torch.sqrt(squares) + 1e-6)


torch.manual_seed(0)
model = Listener(inputs=20, hidden=32)
sound = torch.randn(FRAMES + 1, 4, 20)
sound[SILENT] = 0.0

loss = nn.functional.mse_loss(model(sound[:-1]), sound[-1])
loss.backward()
print(f"loss {loss.item():.3f}")
