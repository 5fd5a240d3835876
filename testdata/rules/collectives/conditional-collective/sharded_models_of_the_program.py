"""A model of the program that is sharded in place communicates when it is called, wherever that was done."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        return self.inner(x)

    def describe(self):
        return self.width

    def agree(self, x):
        dist.all_reduce(x)


class Quiet:
    def agree(self, x):
        return x


def in_place(x):
    model = Net(2)
    fully_shard(model)
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]


def as_it_is_returned(x):
    model = fully_shard(Net(2))
    model.eval()
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]


def its_own_methods(x):
    model = Net(2)
    fully_shard(model)
    if dist.get_rank() == 0:
        print(model.describe())
        model.agree(x)  # error: [conditional-collective]


def its_gradients(x):
    model = Net(2)
    fully_shard(model)
    for batch in x:
        loss = model(batch).sum()
        if torch.isnan(loss):
            continue
        loss.backward()  # error: [divergent-early-exit]


def what_a_library_adds(x):
    model = Net(2)
    fully_shard(model)
    if dist.get_rank() == 0:
        model.unshard()  # error: [conditional-collective]


def shard(model):
    fully_shard(model)


def parallelize(model, plan):
    if plan.compiles:
        model.compile()
    shard(model)
    return model


def two_calls_away(x, plan):
    model = parallelize(Net(2), plan)
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]


def two_calls_away_and_kept(x, plan):
    model = Net(2)
    parallelize(model, plan)
    if dist.get_rank() == 0:
        print(model.describe())
        model(x)  # error: [conditional-collective]


class Trainer:
    def __init__(self):
        model = Net(2)
        fully_shard(model)
        self.model = model.to("cuda")
        self.reference = Net(2)

    def evaluate(self, x):
        if dist.get_rank() == 0:
            self.reference(x)
            self.model(x)  # error: [conditional-collective]


def run(model, x):
    if dist.get_rank() == 0:
        model(x)


def handed_over(x):
    model = Net(2)
    fully_shard(model)
    run(model, x)  # error: [conditional-collective]
    run(Net(2), x)


def another_of_the_class(x):
    model = Net(2)
    reference = Net(2)
    fully_shard(model)
    if dist.get_rank() == 0:
        reference(x)


def before_it_is_sharded(x):
    model = Net(2)
    if dist.get_rank() == 0:
        model(x)
    fully_shard(model)
    model(x)


def two_calls_away_with_its_methods(x, plan):
    model = Net(2)
    parallelize(model, plan)
    if dist.get_rank() == 0:
        model.agree(x)  # error: [conditional-collective]


def made_in_the_first_turn(x):
    model = None
    for step in x:
        if model is None:
            model = Net(2)
            fully_shard(model)
        if dist.get_rank() == 0:
            model(step)  # error: [conditional-collective]


def evaluate(model, x):
    if dist.get_rank() == 0:
        model(x)


def made_under_a_setting_and_handed_over(x, plan):
    model = None
    if plan.trains:
        model = Net(2)
        fully_shard(model)
    evaluate(model, x)  # error: [conditional-collective]


def evaluate_each(model, x):
    if dist.get_rank() == 0:
        model(x)


def made_in_the_first_turn_and_handed_over(x):
    model = None
    for step in x:
        if model is None:
            model = Net(2)
            fully_shard(model)
        evaluate_each(model, step)  # error: [conditional-collective]


def clipped_on_one_rank(x):
    model = Net(2)
    fully_shard(model)
    model(x).sum().backward()
    if dist.get_rank() == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # error: [conditional-collective]
