# %% [markdown]
# # Logistic regression
# %%
import torch
import torch.nn.functional as F
# %%
torch.manual_seed(0)
features = torch.randn(30, 4)
labels = (features[:, 0] > 0).float()
# %%
theta = torch.zeros(4, 1, requires_grad=True)
for epoch in range(2):
    logit = features @ theta
    loss = F.binary_cross_entropy_with_logits(logit.squeeze(), labels)
    loss.backward()
    with torch.no_grad():
        theta = theta - 0.1 * theta.grad  # finds: detached
        theta.grad = None
# %%
print(theta)
