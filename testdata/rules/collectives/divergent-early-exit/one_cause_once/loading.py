import os

import torch.distributed as dist

KNOWN = {"glm": 30, "opt": 1}


def convert(name, folder):
    if KNOWN.get(name) is None:
        print("not supported")
        os._exit(0)
    print("converted", folder)


class Model:
    @classmethod
    def from_pretrained(cls, name, folder):
        def load_local(path):
            model = cls()
            if dist.is_initialized() and dist.get_rank() == 0:
                convert(name, folder)
            dist.barrier()  # error: [divergent-early-exit]
            return model

        return load_local(folder)
