"""The nets whose training steps the recorder's cost is measured on, of very different grain.

Six extra ops spell the step's number in binary, so that each step has a structure of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

NUMBER_BITS = 6


@dataclass(frozen=True)
class Workload:
    """A net with its input, and how many steps one timing takes: enough that closing the file is shared by several."""

    name: str
    model: nn.Module
    batch: torch.Tensor
    steps: int
    peers: tuple[str, ...]
    times: int = 1  # as many rounds as of the others: a short round says little

    def forward(self, number: int) -> torch.Tensor:
        """The loss, with `number` spelled into the graph."""
        loss: torch.Tensor = self.model(self.batch).float().mean()
        for bit in range(NUMBER_BITS):
            loss = loss * 1.0 if number >> bit & 1 else loss + 0.0
        return loss

    def step(self, number: int) -> None:
        """One training step."""
        self.model.zero_grad(set_to_none=True)
        loss = self.forward(number)
        loss.backward()
        with torch.no_grad():
            for parameter in self.model.parameters():
                if parameter.grad is not None:
                    parameter.sub_(parameter.grad, alpha=1e-4)


class TinyOps(nn.Module):
    """75 nodes of next to no work each: (Linear 16, tanh, mul, add, mean, sub) eight times."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(8)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.tanh(layer(x))
            x = x * 1.5 + 0.1
            x = x - x.mean(dim=1, keepdim=True)
        return x


class Chain(nn.Module):
    """Elementwise operations in a row on four numbers."""

    def __init__(self, length: int = 10_000) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.ones(4))
        self.pairs = length // 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.start + x
        for _ in range(self.pairs):
            y = y * 1.0001
            y = y + 0.0001
        return y


def workloads() -> list[Workload]:
    """The three nets, seeded."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, nhead=8, dim_feedforward=1024, dropout=0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, num_layers=4, enable_nested_tensor=False)
    return [
        Workload("encoder", encoder, torch.randn(8, 128, 256), steps=16, peers=("torchviz", "torchlens")),
        Workload("tiny", TinyOps(), torch.randn(8, 16), steps=48, peers=("torchviz", "torchlens"), times=3),
        # torchviz ends in a RecursionError there, torchlens takes minutes
        Workload("chain", Chain(), torch.zeros(4), steps=3, peers=(), times=2),
    ]
