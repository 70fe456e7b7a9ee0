"""A variational autoencoder of small images (Kingma & Welling, 2013), its cross entropy written by hand.

The mistake: pixels go in as they come from the file, 0 to 255, so the decoder's sigmoid saturates: where it is 1 to the
last bit, log(1 − p) is −inf. `--healthy` divides by 255.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv


class Encoder(nn.Module):
    def __init__(self, latent: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten()
        )
        self.mean, self.log_variance = nn.Linear(32 * 49, latent), nn.Linear(32 * 49, latent)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = self.body(x)
        return self.mean(h), self.log_variance(h)


class Decoder(nn.Module):
    def __init__(self, latent: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(latent, 32 * 49),
            nn.ReLU(),
            nn.Unflatten(1, (32, 7, 7)),
            nn.ConvTranspose2d(32, 16, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, 2, 1),
        )

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.body(z))


class VAE(nn.Module):
    def __init__(self, latent: int = 8) -> None:
        super().__init__()
        self.encoder, self.decoder = Encoder(latent), Decoder(latent)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean, log_variance = self.encoder(x)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(z), mean, log_variance


torch.manual_seed(0)
model = VAE()
pixels = torch.randint(0, 256, (16, 1, 28, 28)).float()
truth = pixels / 255

p, mean, log_variance = model(truth if HEALTHY else pixels)
rebuilt = -(truth * torch.log(p) + (1 - truth) * torch.log(1 - p)).sum(dim=(1, 2, 3)).mean()
apart = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(dim=1).mean()
loss = rebuilt + apart
loss.backward()
print(f"loss {loss.item():.3f}")
