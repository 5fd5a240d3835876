"""Two checkpoints of all ranks: one in a folder that rank 0 has named for all, one in a folder that each has named by itself."""

import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def agreed() -> str:
    name = [f"checkpoints/{time.time_ns()}"]
    dist.broadcast_object_list(name, src=0)
    return str(name[0])


def main() -> None:
    dist.init_process_group("gloo")
    state = {"weight": torch.ones(4)}
    dcp.save(state, checkpoint_id=agreed())
    dcp.async_save(state, checkpoint_id=agreed()).result()
    print("two checkpoints", flush=True)
    own = f"checkpoints/{time.time_ns()}"
    dcp.save(state, checkpoint_id=own)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
