import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from pretrain.checkpoint import AppState, CheckpointManager
from pretrain.config import TrainConfig


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.layers = nn.ModuleList([Block(cfg.dim) for _ in range(cfg.n_layers)])
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def build(cfg, mesh):
    model = Model(cfg).cuda()
    mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=mp)
    fully_shard(model, mesh=mesh, mp_policy=mp)
    return model


def main():
    cfg = TrainConfig()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp",))
    torch.manual_seed(1234)
    model = build(cfg, mesh)
    optim = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    app = AppState(model, optim)
    ckpt = CheckpointManager(cfg.checkpoint, app)
    ckpt.load()

    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(app.step + 1, cfg.steps + 1):
        ids = torch.randint(0, cfg.vocab, (cfg.batch_size, cfg.seq_len + 1), generator=gen, device="cuda")
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), cfg.max_norm)
        optim.step()
        optim.zero_grad()
        if step % 10 == 0:
            avg = loss.detach().clone()
            dist.all_reduce(avg, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(f"step {step} loss {avg.item():.4f}")
        ckpt.save(step, force=(step == cfg.steps))

    if cfg.checkpoint.export_hf:
        ckpt.export()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
