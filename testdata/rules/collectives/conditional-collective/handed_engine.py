"""An engine that is handed over under another name: who made it knows what its methods do."""
import deepspeed
import torch.distributed as dist


def save_best(model, score):
    if dist.get_rank() == 0:
        model.save_checkpoint("out", "best")


def save_all(model, score):
    model.save_checkpoint("out", "last")
    if dist.get_rank() == 0:
        print(score)


def save_table(model, score):
    if dist.get_rank() == 0:
        model.save_checkpoint("out", "best")


class Table:
    def save_checkpoint(self, folder, tag):
        print(folder, tag)


def main(args, net, score):
    engine, optimizer, _, _ = deepspeed.initialize(args=args, model=net)
    save_best(engine, score)  # error: [conditional-collective]
    save_all(engine, score)
    save_table(Table(), score)
