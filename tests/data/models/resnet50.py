"""ResNet-50 (He et al., 2015) with a second head that guesses how each image was turned.

The mistake: the second loss is added with `.item()`, a plain number, so its head never learns. `--healthy` adds the
tensor.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv


def conv(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)


class Bottleneck(nn.Module):
    """1×1 to narrow, 3×3, 1×1 to four times as wide, beside a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, 4 * width, 1), nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != 4 * width:
            self.downsample = nn.Sequential(conv(inputs, 4 * width, 1, stride), nn.BatchNorm2d(4 * width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + shortcut)


class ResNet50(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1)
        )
        self.layer1 = self.stage(64, 64, 3, 1)
        self.layer2 = self.stage(256, 128, 4, 2)
        self.layer3 = self.stage(512, 256, 6, 2)
        self.layer4 = self.stage(1024, 512, 3, 2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classes, self.turns = nn.Linear(2048, classes), nn.Linear(2048, 4)

    @staticmethod
    def stage(inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
        first = Bottleneck(inputs, width, stride)
        return nn.Sequential(first, *(Bottleneck(4 * width, width, 1) for _ in range(blocks - 1)))

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(images)))))
        features = self.pool(x).flatten(1)
        return self.classes(features), self.turns(features)


torch.manual_seed(0)
model = ResNet50(classes=1000)
images = torch.randn(4, 3, 64, 64)
labels, quarters = torch.randint(0, 1000, (4,)), torch.arange(4)
turned = torch.stack([image.rot90(int(turn), (1, 2)) for image, turn in zip(images, quarters)])

class_scores, turn_scores = model(turned)
class_loss = nn.functional.cross_entropy(class_scores, labels)
turn_loss = nn.functional.cross_entropy(turn_scores, quarters)
if HEALTHY:
    loss = class_loss + 0.5 * turn_loss
else:
    loss = class_loss + 0.5 * turn_loss.item()
loss.backward()
print(f"loss {loss.item():.3f}")
