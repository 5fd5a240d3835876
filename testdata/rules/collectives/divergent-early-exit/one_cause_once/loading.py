import os

import torch.distributed as dist


class Model:
    @classmethod
    def from_pretrained(cls, folder, size):
        def load_local(path):
            model = cls()
            if dist.is_initialized() and dist.get_rank() == 0:
                if size == len(os.listdir(path)):
                    os._exit(0)
            dist.barrier()  # error: [divergent-early-exit]
            return model

        if os.path.exists(folder):
            return load_local(folder)
        download(folder)
        return load_local(folder)
