"""What a backward pass begins with was worked out of this rank's batch, by whatever function."""
import torch.distributed as dist


def best(compute, batch, optimizer, best):
    loss = compute(batch)
    loss.backward()
    optimizer.step()
    if loss.item() < best:
        dist.barrier()  # error: [conditional-collective]


def scaled(compute, batch, scaler, limit, norm):
    loss = compute(batch)
    scaler.scale(loss).backward()
    if loss > limit:
        dist.all_reduce(norm)  # error: [conditional-collective]


def by_engine(compute, batch, engine, limit, norm):
    loss = compute(batch)
    engine.backward(loss)
    if loss > limit:
        dist.all_reduce(norm)  # error: [conditional-collective]


def reduced(compute, batch, optimizer, best):
    loss = compute(batch)
    loss.backward()
    optimizer.step()
    dist.all_reduce(loss)
    if loss.item() < best:
        dist.barrier()


def another(compute, batch, optimizer, best):
    loss = compute(batch)
    loss.backward()
    steps = optimizer.step()
    if steps < best:
        dist.barrier()
