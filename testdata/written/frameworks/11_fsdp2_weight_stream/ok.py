"""Convert an FSDP2 training run into a directory of safetensors shards."""
import argparse
import json
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from safetensors.torch import save_file
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from transformers import AutoConfig, AutoModelForCausalLM


class ShardWriter:
    """Packs tensors into files of at most ``limit`` bytes."""

    def __init__(self, folder, limit=4 << 30):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.limit = limit
        self.index = {}
        self._pending, self._bytes, self._part = {}, 0, 0

    def add(self, name, tensor):
        size = tensor.numel() * tensor.element_size()
        if self._pending and self._bytes + size > self.limit:
            self._flush()
        self._pending[name] = tensor
        self._bytes += size

    def _flush(self):
        self._part += 1
        file = f"model-{self._part:05d}.safetensors"
        save_file(self._pending, str(self.folder / file))
        self.index.update(dict.fromkeys(self._pending, file))
        self._pending, self._bytes = {}, 0

    def close(self):
        if self._pending:
            self._flush()
        (self.folder / "model.safetensors.index.json").write_text(
            json.dumps({"weight_map": self.index}, indent=1)
        )


def full_weights(model, dtype):
    for name, value in get_model_state_dict(model).items():
        if isinstance(value, DTensor):
            value = value.full_tensor()
        yield name, value.to(dtype).cpu().contiguous()


def build_sharded(name, mesh):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(name))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    model.to_empty(device="cuda")
    return model


def export(model, folder, dtype):
    writer = ShardWriter(folder) if dist.get_rank() == 0 else None
    for name, tensor in full_weights(model, dtype):
        if writer is not None:
            writer.add(name, tensor)
    if writer is not None:
        writer.close()
    dist.barrier()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--checkpoint", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float32"])
    args = p.parse_args()

    dist.init_process_group("cuda:nccl,cpu:gloo")
    torch.cuda.set_device(dist.get_rank() % torch.cuda.device_count())
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("fsdp",))
    model = build_sharded(args.model, mesh)
    state = {"model": get_model_state_dict(model)}
    dcp.load(state, checkpoint_id=args.checkpoint)
    set_model_state_dict(model, state["model"])
    export(model, args.out, getattr(torch, args.dtype))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
