"""The last stage says how much it has and sends it piece by piece; the others take the number first, through a helper (P16)."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state as mpu


def send(tensor, shape=None):
    src, group = mpu.get_pipeline_model_parallel_last_rank(), mpu.get_pipeline_model_parallel_group()
    if shape is None:
        sizes = torch.zeros(1) if tensor is None else torch.tensor(tensor.shape)
        dist.broadcast(sizes, src, group)
    tensor = torch.zeros(1) if tensor is None else tensor
    dist.broadcast(tensor, src, group)
    return tensor


def by_name(logits):
    if logits is not None:
        send(torch.tensor([len(logits)]), shape=[1])
        for name in logits.keys():
            send(logits[name])
    else:
        logits = {}
        count = send(None, shape=[1])
        for number in range(count.item()):
            logits[number] = send(None)
    return logits


def unannounced(logits):
    if logits is not None:
        for name in logits.keys():
            send(logits[name])
    return logits


def forward(model, inputs):
    logits = model(inputs) if mpu.is_pipeline_last_stage() else None
    return by_name(logits)  # low: [conditional-collective, divergent-loop]


def forward_unannounced(model, inputs):
    logits = model(inputs) if mpu.is_pipeline_last_stage() else None
    return unannounced(logits)  # error: [conditional-collective, divergent-loop]
