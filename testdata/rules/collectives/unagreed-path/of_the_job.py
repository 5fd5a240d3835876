"""Names that all ranks have alike, and what one rank writes alone."""
import os
import time
from datetime import datetime

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def handed_on(state, root):
    name = [f"run_{int(time.time())}"]
    dist.broadcast_object_list(name, src=0)
    dcp.save(state, checkpoint_id=os.path.join(root, name[0]))


def of_the_launcher(state, root):
    dcp.save(state, checkpoint_id=os.path.join(root, os.environ["TORCHELASTIC_RUN_ID"]))


def of_the_day(state, root):
    dcp.save(state, checkpoint_id=os.path.join(root, datetime.now().strftime("%Y-%m-%d")))


def of_one_rank(state, root):
    if dist.get_rank() == 0:
        torch.save(state, os.path.join(root, f"{time.time()}.pt"))
    dist.barrier()


def found_again(state, root):
    latest = max(os.listdir(root))
    dcp.save(state, checkpoint_id=os.path.join(root, latest))


def counted(root):
    return os.path.join(root, f"{len(os.listdir(root)):03d}")


def counted_and_made_by_one(state, root):
    folder = counted(root)
    dist.barrier()
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    dist.barrier()
    dcp.save(state, checkpoint_id=folder)


def timed(state, folder):
    begun = time.time()
    dcp.save(state, checkpoint_id=folder)
    print(time.time() - begun)


def by_itself(state, root):
    dcp.save(state, checkpoint_id=os.path.join(root, str(time.time())), no_dist=True)
