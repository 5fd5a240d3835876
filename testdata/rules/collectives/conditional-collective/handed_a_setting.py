"""A helper communicates for who gives it nothing; who hands over a setting has set it."""
import torch.distributed as dist


def start_logging(name, group=None):
    if group is None:
        tag = [name]
        dist.broadcast_object_list(tag, src=0)
        group = tag[0]
    return name, group


def by_setting(config):
    if dist.get_rank() == 0:
        start_logging("run", group=config.log.group)  # low: [conditional-collective]


def by_default():
    if dist.get_rank() == 0:
        start_logging("run")  # error: [conditional-collective]


def log_to(name, group=None):
    if group is not None:
        dist.broadcast_object_list([name], src=0)


def to_a_setting(config):
    if dist.get_rank() == 0:
        log_to("run", group=config.log.group)  # error: [conditional-collective]


class Logger:
    def start(self):
        if dist.get_rank() == 0:
            start_logging("run", group=self.group)  # error: [conditional-collective]
