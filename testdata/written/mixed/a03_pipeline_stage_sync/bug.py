"""Post-backward synchronisation of pipeline stages (Megatron-style groups)."""
import torch
import torch.distributed as dist
from torch import nn

from megatron.core import parallel_state as mpu


class StageModule(nn.Module):
    """One pipeline stage; embedding and output layer live on the outer stages only."""

    def __init__(self, config, pre_process: bool, post_process: bool):
        super().__init__()
        self.pre_process = pre_process
        self.post_process = post_process
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size) if pre_process else None
        self.layers = nn.ModuleList(config.build_layer(i) for i in range(config.layers_per_stage))
        self.output_layer = None
        if post_process:
            self.output_layer = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def tied_weight(self) -> torch.Tensor:
        return self.embedding.weight if self.pre_process else self.output_layer.weight


class GradFinalizer:
    def __init__(self, stage: StageModule, logit_cap: float):
        self.stage = stage
        self.logit_cap = torch.tensor([logit_cap], device="cuda")

    def sync_tied_embeddings(self) -> None:
        if mpu.is_rank_in_embedding_group():
            grad = self.stage.tied_weight().main_grad
            dist.all_reduce(grad, group=mpu.get_embedding_group())

    def sync_layernorms(self) -> None:
        grads = [p.main_grad for n, p in self.stage.named_parameters() if "layernorm" in n]
        flat = torch.cat([g.view(-1) for g in grads])
        dist.all_reduce(flat, group=mpu.get_tensor_model_parallel_group())
        offset = 0
        for g in grads:
            g.copy_(flat[offset : offset + g.numel()].view_as(g))
            offset += g.numel()

    def refresh_logit_cap(self, max_logit: torch.Tensor) -> float:
        if self.stage.output_layer is not None:
            self.logit_cap = torch.maximum(self.logit_cap * 0.99, max_logit.detach().view(1))
            dist.broadcast(  # BUG 1
                self.logit_cap,
                src=mpu.get_pipeline_model_parallel_last_rank(),
                group=mpu.get_pipeline_model_parallel_group(),
            )
        return self.logit_cap.item()

    def __call__(self, max_logit: torch.Tensor) -> float:
        self.sync_layernorms()
        self.sync_tied_embeddings()
        return self.refresh_logit_cap(max_logit)
