"""Loss averaging and reporting for a Megatron-style pipeline-parallel trainer."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state as mpu


class LossReporter:
    def __init__(self, args, writer=None):
        self.log_interval = args.log_interval
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.writer = writer
        self.tokens_seen = 0

    def mean_over_replicas(self, microbatch_losses):
        if not mpu.is_pipeline_last_stage():
            return None
        stacked = torch.stack([l.detach().float() for l in microbatch_losses]).mean()
        dist.all_reduce(stacked, group=mpu.get_data_parallel_group())
        return stacked.item() / mpu.get_data_parallel_world_size()

    def count_tokens(self, loss_mask):
        if mpu.is_pipeline_last_stage():
            total = loss_mask.sum().to(self.device).long().reshape(1)
            dist.all_reduce(total)  # BUG 1
            self.tokens_seen += int(total.item()) // mpu.get_tensor_model_parallel_world_size()

    def send_loss_to_first_stage(self, loss):
        first = mpu.is_pipeline_first_stage()
        last = mpu.is_pipeline_last_stage()
        if not (first or last):
            return None
        value = loss.detach().float().reshape(1) if last else torch.zeros(1, device=self.device)
        src = mpu.get_pipeline_model_parallel_last_rank()
        dist.broadcast(value, src=src, group=mpu.get_pipeline_model_parallel_group())  # BUG 2
        return value.item()

    def write(self, iteration, loss):
        if self.writer is None or iteration % self.log_interval:
            return
        self.writer.add_scalar("train/loss", loss, iteration)
        self.writer.add_scalar("train/tokens", self.tokens_seen, iteration)
