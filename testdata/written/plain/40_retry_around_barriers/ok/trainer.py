import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardedOptimStateDictConfig, ShardedStateDictConfig, StateDictType

from graphlm.data import WalkBatches
from graphlm.model import GraphTransformer
from shard_io import ShardWriter


def snapshot(model, optim):
    FSDP.set_state_dict_type(
        model,
        StateDictType.SHARDED_STATE_DICT,
        ShardedStateDictConfig(offload_to_cpu=True),
        ShardedOptimStateDictConfig(offload_to_cpu=True),
    )
    return {"model": model.state_dict(), "optim": FSDP.optim_state_dict(model, optim)}


def main(data, out, steps=50_000, save_every=2_000):
    dist.init_process_group("cuda:nccl,cpu:gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = FSDP(GraphTransformer(layers=16, width=1024), device_id=device, use_orig_params=True)
    optim = torch.optim.AdamW(model.parameters(), lr=2e-4)
    batches = WalkBatches(data, seed=dist.get_rank())
    writer = ShardWriter(out, retries=4)

    for step in range(1, steps + 1):
        nodes, edges, target = (t.to(device) for t in batches.next())
        loss = torch.nn.functional.cross_entropy(model(nodes, edges), target)
        loss.backward()
        model.clip_grad_norm_(1.0)
        optim.step()
        optim.zero_grad(set_to_none=True)
        if step % save_every == 0:
            writer.write(snapshot(model, optim), step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
