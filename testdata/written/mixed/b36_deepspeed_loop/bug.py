"""ZeRO-3 training loop on top of a DeepSpeed engine."""
import deepspeed
import torch
import torch.distributed as dist


class ZeroTrainer:
    def __init__(self, model, dataset, ds_config, cfg):
        self.cfg = cfg
        self.engine, self.optimizer, self.loader, _ = deepspeed.initialize(
            model=model, model_parameters=model.parameters(), training_data=dataset, config=ds_config
        )

    def log(self, message):
        if self.engine.global_rank == 0:
            print(message, flush=True)

    def save(self, step):
        self.engine.save_checkpoint(self.cfg.save_dir, tag=f"step{step}")
        self.log(f"saved step {step}")

    def save_best(self, step, metric):
        if self.engine.global_rank == 0:
            self.engine.save_checkpoint(self.cfg.best_dir, tag=f"best_{metric:.3f}")  # BUG 1
            print(f"new best at {step}")

    def mean_loss(self, loss):
        value = loss.detach().float().clone()
        dist.all_reduce(value)
        return value.item() / dist.get_world_size()

    def train(self):
        best = float("inf")
        for step, batch in enumerate(self.loader):
            inputs = batch["input_ids"].to(self.engine.device)
            loss = self.engine(inputs, labels=inputs).loss
            mean = self.mean_loss(loss)
            if torch.isfinite(loss):
                self.engine.backward(loss)  # BUG 2
                self.engine.step()
            if step % self.cfg.save_every == 0:
                self.save(step)
                if mean < best:
                    best = mean
                    self.save_best(step, best)
