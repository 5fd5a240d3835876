"""Models that are wrapped by a setting: who runs several processes has the wrapped one."""
import deepspeed
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, sharded):
    if sharded:
        model = FSDP(model)
    return model


def by_a_setting(net, x, args):
    model = wrap(net, args.sharded)
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]


def in_one_line(net, x, args):
    model = FSDP(net) if args.sharded else net
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]


def step(model, x):
    return model(x)


def handed_on(net, x, args):
    model = FSDP(net) if args.sharded else net
    if dist.get_rank() == 0:
        step(model, x)  # error: [conditional-collective]


class Trainer:
    def __init__(self, net):
        self.model = self.wrapped(net)

    def wrapped(self, net):
        if not dist.is_initialized():
            return net
        return FSDP(net)

    def evaluate(self, x):
        if dist.get_rank() == 0:
            self.model(x)  # error: [conditional-collective]
        self.model(x)


def where_it_is_not(net, x):
    """The first rank keeps the plain one for itself."""
    model = net if dist.get_rank() == 0 else FSDP(net)  # error: [conditional-collective]
    if dist.get_rank() == 0:
        model(x)


def engine_by_a_setting(args, model):
    if args.deepspeed:
        model, _, _, _ = deepspeed.initialize(model=model, args=args)
    if args.deepspeed:
        if dist.get_rank() == 0:
            model.save_checkpoint("out", "best")  # error: [conditional-collective]
    elif dist.get_rank() == 0:
        model.save_checkpoint("out", "best")


class Tester:
    def __init__(self, module):
        self.net = module

    def run(self, x):
        return self.net(x)


def handed_on_at_once(model, x):
    tester = Tester(FSDP(model))
    if dist.get_rank() == 0:
        tester.run(x)  # error: [conditional-collective]


class Net:
    def forward(self, x):
        return x


def of_a_known_class(x, args):
    model = Net()
    if args.sharded:
        model = FSDP(model)
    if dist.get_rank() == 0:
        model(x)  # error: [conditional-collective]
