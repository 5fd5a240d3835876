"""The engine is the first of the four things that `deepspeed.initialize` returns (P45b)."""
import deepspeed
from deepspeed import comm as ds_dist


def train(args, net, loader):
    engine, optimizer, _, _ = deepspeed.initialize(args=args, model=net)
    for step, batch in enumerate(range(100)):
        loss = engine(batch)
        engine.backward(loss)
        engine.step()
    if engine.global_rank == 0:
        engine.save_checkpoint(args.out, tag="last")  # error: [conditional-collective]


def train_in_step(args, net, loader):
    engine, optimizer, _, _ = deepspeed.initialize(args=args, model=net)
    for step, batch in enumerate(range(100)):
        loss = engine(batch)
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint(args.out, tag="last")
    if engine.global_rank == 0:
        print("saved", args.out)
