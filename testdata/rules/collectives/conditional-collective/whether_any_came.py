"""Whether there was any turn at all of a loop in which something was counted that is pooled: samplers give each rank one."""
import torch
import torch.distributed as dist


def evaluate(model, loader, device):
    loss, count = 0.0, 0
    for inputs, labels in loader:
        loss += model(inputs, labels).item()
        count += labels.numel()
    if count:
        total, number = torch.tensor(loss, device=device), torch.tensor(count, device=device)
        dist.all_reduce(total)  # low: [conditional-collective]
        dist.all_reduce(number)
        loss = total.item() / number.item()
    return loss


def finite_only(model, loader, device):
    loss = 0.0
    for inputs, labels in loader:
        loss += model(inputs, labels).item()
    total = torch.tensor(loss, device=device)
    if torch.isfinite(total):
        dist.all_reduce(total)  # error: [conditional-collective]
    return total
