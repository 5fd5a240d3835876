"""A Trainer of transformers and its callbacks (P01, P41)."""
import torch
import torch.distributed as dist
from transformers import Trainer, TrainerCallback


class RewardTrainer(Trainer):
    def log_rewards(self, rewards):
        if self.is_world_process_zero():
            dist.all_reduce(rewards)  # error: [conditional-collective]
            self.log({"reward": rewards.item()})

    def log_rewards_in_step(self, rewards):
        dist.all_reduce(rewards)
        if self.is_world_process_zero():
            self.log({"reward": rewards.item()})

    def gather_scores(self, scores):
        if self.args.process_index == 0:
            return self.accelerator.gather(scores)  # error: [conditional-collective]
        return scores


class SaveCallback(TrainerCallback):
    def on_save(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            print("saved", state.global_step)
            dist.barrier()  # error: [conditional-collective]

    def on_epoch_end(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            print("epoch", state.epoch)
        dist.barrier()
