import os
import re
from pathlib import Path

import torch
import torch.distributed as dist

_PATTERN = re.compile(r"epoch_(\d+)\.pt$")


class CheckpointManager:
    """Keeps the `keep` most recent checkpoints in one directory."""

    def __init__(self, directory, keep=3):
        self.dir = Path(directory)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.keep = keep

    def _available(self):
        found = []
        for p in self.dir.iterdir():
            m = _PATTERN.search(p.name)
            if m:
                found.append((int(m.group(1)), p))
        return sorted(found)

    def save(self, epoch, net, opt):
        path = self.dir / f"epoch_{epoch}.pt"
        tmp = path.with_suffix(".tmp")
        torch.save({"epoch": epoch, "net": net.state_dict(), "opt": opt.state_dict()}, tmp)
        os.replace(tmp, path)
        for _, old in self._available()[: -self.keep]:
            old.unlink()

    def restore(self, net, opt, device):
        payload = [None]
        if dist.get_rank() == 0:
            found = self._available()
            if found:
                payload[0] = torch.load(found[-1][1], map_location="cpu")
        dist.broadcast_object_list(payload, src=0, device=device)
        blob = payload[0]
        if blob is None:
            return 0
        epoch = blob["epoch"]
        net.load_state_dict(blob["net"])
        opt.load_state_dict(blob["opt"])
        return epoch + 1
