"""Nothing has no length, and cannot be gone through or taken apart."""
import torch.distributed as dist


def make(config):
    if dist.get_rank() == 0:
        return config.make(0), config.make(1)
    return None, None


def made_everywhere(config):
    if dist.get_rank() == 0:
        return config.make(0), config.make(1)
    return None, config.make(2)


def counted(config):
    rows = None
    if dist.get_rank() == 0:
        rows = config.load()
    print(len(rows))  # error: [bound-on-one-rank]
    dist.barrier()


def gone_through(config):
    rows = None
    if dist.get_rank() == 0:
        rows = config.load()
    for row in rows:  # error: [bound-on-one-rank]
        print(row)
    dist.barrier()


def taken_apart(config):
    pair = None
    if dist.get_rank() == 0:
        pair = config.load()
    first, second = pair  # error: [bound-on-one-rank]
    dist.barrier()
    return first, second


def listed(config):
    rows = None
    if dist.get_rank() == 0:
        rows = config.load()
    names = [row.name for row in rows]  # error: [bound-on-one-rank]
    dist.barrier()
    return names


def answered_in_parts(config):
    train, valid = make(config)
    if len(train) < config.batch:  # error: [bound-on-one-rank]
        print("few", valid)
    dist.barrier()


def asked_first(config):
    train, valid = make(config)
    if train is not None:
        print(len(train))
    if dist.get_rank() == 0:
        print(len(valid))
    dist.barrier()


def there_in_part(config):
    train, valid = made_everywhere(config)
    print(len(valid))
    dist.barrier()
    return train


def handed_on(config):
    rows = None
    if dist.get_rank() == 0:
        rows = config.load()
    rows = config.spread(rows)
    print(len(rows))
    dist.barrier()
