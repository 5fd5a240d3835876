import torch
import torch.distributed as dist

from . import parallel_state as mpu


def forward_backward_no_interleave(stage, batches, shape, dtype=torch.float32):
    """All forward passes, then all backward passes (GPipe order)."""
    device = torch.device("cuda", torch.cuda.current_device())
    saved, losses = [], []
    for batch in batches:
        if mpu.is_pipeline_first_stage():
            x = stage.embed(batch["ids"].to(device))
        else:
            x = torch.empty(shape, dtype=dtype, device=device)
            dist.recv(x, src=mpu.get_pipeline_prev_rank())
            x.requires_grad_()
        y = stage(x)
        if mpu.is_pipeline_last_stage():
            y = stage.loss(y, batch["labels"].to(device)) / len(batches)
            losses.append(y.detach())
        else:
            dist.send(y.detach(), dst=mpu.get_pipeline_next_rank())
        saved.append((x, y))

    for x, y in saved:
        if mpu.is_pipeline_last_stage():
            y.backward()
        else:
            g = torch.empty_like(y)
            dist.recv(g, src=mpu.get_pipeline_next_rank())
            y.backward(g)
        if not mpu.is_pipeline_first_stage():
            dist.send(x.grad, dst=mpu.get_pipeline_prev_rank())
    return losses


def allreduce_embedding_grads(stage):
    if mpu.is_rank_in_embedding_group():
        grad = stage.shared_weight.grad
        dist.all_reduce(grad, group=mpu.get_embedding_group())


def allreduce_data_parallel_grads(stage):
    group = mpu.get_data_parallel_group()
    n = dist.get_world_size(group)
    for p in stage.parameters():
        if p.requires_grad:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            dist.all_reduce(p.grad, group=group)
            p.grad.div_(n)


def report_loss(losses, step):
    total = torch.zeros(1, device="cuda")
    if mpu.is_pipeline_last_stage():
        total += sum(losses)
    dist.all_reduce(total, group=mpu.get_pipeline_model_parallel_group())
    if dist.get_rank() == 0:
        print(f"iteration {step} lm loss {total.item():.4f}", flush=True)
