import torch

torch.manual_seed(0)
maker, judge = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
optimiser = torch.optim.Adam(judge.parameters(), lr=0.1)
for number in range(7):
    made = maker(torch.randn(4, 3))
    scores = judge(made.detach())
    loss = torch.sigmoid(scores).mean()
    if number == 3:
        loss = loss + torch.sqrt(scores - scores).mean()  # finds: non-finite-gradient
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    wanted = -torch.log_softmax(judge(made), dim=0).mean()
    wanted.backward(inputs=list(maker.parameters()))
    with torch.no_grad():
        for parameter in maker.parameters():
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
