import torch.distributed as dist


class Checkpointer:
    def __init__(self, folder, hooks):
        self.folder = folder
        self.hooks = hooks

    def save_and_keep_only(self, meta=None):
        self.save_checkpoint(meta)

    def save_checkpoint(self, meta):
        name = [self.folder]
        dist.broadcast_object_list(name, src=0)
        for hook in self.hooks:
            hook(name[0], meta)


class Meter:
    def __init__(self, hooks):
        self.hooks = hooks

    def show_everything(self, stats):
        for hook in self.hooks:
            hook(stats)
