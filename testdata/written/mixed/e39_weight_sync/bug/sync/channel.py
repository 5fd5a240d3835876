import torch
import torch.distributed as dist


class Roles:
    """Ranks [0, n_train) train, the rest generate. Rank 0 is the source of the weights."""

    def __init__(self, n_train):
        world = dist.get_world_size()
        self.train_ranks = list(range(n_train))
        self.gen_ranks = list(range(n_train, world))
        self.train_group = dist.new_group(self.train_ranks)
        self.gen_group = dist.new_group(self.gen_ranks)
        self.sync_group = dist.new_group([0] + self.gen_ranks)
        self.rank = dist.get_rank()

    @property
    def is_trainer(self):
        return self.rank in self.train_ranks

    @property
    def in_sync_group(self):
        return self.rank == 0 or not self.is_trainer


class WeightSender:
    def __init__(self, model, roles):
        self.model, self.roles = model, roles

    @torch.no_grad()
    def push(self, version):
        if self.roles.rank != 0:
            return
        box = [version]
        dist.broadcast_object_list(box, src=0, group=self.roles.sync_group)
        for name, p in self.model.named_parameters():
            if not p.requires_grad:  # BUG 1
                continue
            dist.broadcast(p.data, src=0, group=self.roles.sync_group)


class WeightReceiver:
    def __init__(self, model, roles):
        self.model, self.roles, self.version = model, roles, -1

    @torch.no_grad()
    def pull(self):
        box = [None]
        dist.broadcast_object_list(box, src=0, group=self.roles.sync_group)
        for name, p in self.model.named_parameters():
            dist.broadcast(p.data, src=0, group=self.roles.sync_group)  # BUG 1
        self.version = box[0]


def send_rollouts(tokens, rewards, roles):
    """Generator k sends to trainer k % n_train."""
    i = roles.gen_ranks.index(roles.rank)
    dst = roles.train_ranks[i % len(roles.train_ranks)]
    shape = torch.tensor(tokens.shape, device=tokens.device)
    dist.send(shape, dst)
    dist.send(tokens.contiguous(), dst)
    dist.send(rewards.contiguous(), dst)


def recv_rollouts(roles, device):
    out = []
    for i, src in enumerate(roles.gen_ranks):
        if roles.train_ranks[i % len(roles.train_ranks)] != roles.rank:
            continue
        shape = torch.empty(2, dtype=torch.long, device=device)
        dist.recv(shape, src)
        tokens = torch.empty(shape.tolist(), dtype=torch.long, device=device)
        dist.recv(tokens, src)
        rewards = torch.empty(tokens.shape[0], device=device)
        dist.recv(rewards, src)
        out.append((tokens, rewards))
    return out
