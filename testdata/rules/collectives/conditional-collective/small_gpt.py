"""A single-file training script with a master process."""
import os
import time

import torch
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP

ddp = int(os.environ.get("RANK", -1)) != -1
if ddp:
    init_process_group(backend="nccl")
    ddp_rank = int(os.environ["RANK"])
    ddp_local_rank = int(os.environ["LOCAL_RANK"])
    ddp_world_size = int(os.environ["WORLD_SIZE"])
    device = f"cuda:{ddp_local_rank}"
    torch.cuda.set_device(device)
    master_process = ddp_rank == 0
    seed_offset = ddp_rank
else:
    master_process = True
    seed_offset = 0
    ddp_world_size = 1

if master_process:
    os.makedirs("out", exist_ok=True)
torch.manual_seed(1337 + seed_offset)

model = torch.nn.Linear(4, 4)
if ddp:
    model = DDP(model, device_ids=[ddp_local_rank])
raw_model = model.module if ddp else model

iter_num = 0
best = 1e9
while True:
    if iter_num % 100 == 0 and master_process:
        losses = raw_model(torch.zeros(4)).sum()
        if losses < best:
            best = losses
            torch.save({"model": raw_model.state_dict(), "iter_num": iter_num}, "out/ckpt.pt")
    for micro_step in range(4):
        if ddp:
            model.require_backward_grad_sync = micro_step == 3
        loss = model(torch.zeros(4)).sum()
        loss.backward()
    t1 = time.time()
    if iter_num % 10 == 0 and master_process:
        print(f"iter {iter_num}: loss {loss.item():.4f}, {t1}")
    iter_num += 1
    if iter_num > 1000:
        break

if ddp:
    destroy_process_group()
