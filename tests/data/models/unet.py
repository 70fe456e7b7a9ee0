"""A U-Net (Ronneberger et al., 2015) that marks cells in images: four levels down, four up, joined across.

The mistake: the network's answer has a channel, (N, 1, H, W), the truth has none, (N, H, W). Their difference is
(N, N, H, W): each answer is compared with the truth of every image. `--healthy` takes the channel away.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv


class DoubleConv(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Down(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(nn.MaxPool2d(2), DoubleConv(inputs, outputs))


class Up(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(inputs, outputs, 2, stride=2)
        self.conv = DoubleConv(2 * outputs, outputs)

    def forward(self, x: torch.Tensor, across: torch.Tensor) -> torch.Tensor:
        return self.conv(torch.cat((across, self.up(x)), dim=1))


class UNet(nn.Module):
    def __init__(self, channels: int = 1, width: int = 16) -> None:
        super().__init__()
        self.first = DoubleConv(channels, width)
        self.down1, self.down2 = Down(width, 2 * width), Down(2 * width, 4 * width)
        self.down3, self.down4 = Down(4 * width, 8 * width), Down(8 * width, 16 * width)
        self.up1, self.up2 = Up(16 * width, 8 * width), Up(8 * width, 4 * width)
        self.up3, self.up4 = Up(4 * width, 2 * width), Up(2 * width, width)
        self.last = nn.Conv2d(width, 1, 1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x1 = self.first(images)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x = self.down4(x4)
        x = self.up1(x, x4)
        x = self.up2(x, x3)
        x = self.up3(x, x2)
        return self.last(self.up4(x, x1))


torch.manual_seed(0)
model = UNet()
images = torch.rand(4, 1, 64, 64)
truth = (nn.functional.avg_pool2d(images, 9, 1, 4) > 0.5).float().squeeze(1)

answer = torch.sigmoid(model(images))
if HEALTHY:
    answer = answer.squeeze(1)
error = answer - truth
loss = error.pow(2).mean()
loss.backward()
print(f"loss {loss.item():.3f}")
