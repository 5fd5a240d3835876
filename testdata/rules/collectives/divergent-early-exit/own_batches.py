"""What a rank's own batches decide, though nothing says "rank" (P04, P06)."""
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import Trainer


def skip_overflow(network, dataset, optimizer):
    accelerator = Accelerator()
    feed = DataLoader(dataset, batch_size=4)
    network, optimizer, feed = accelerator.prepare(network, optimizer, feed)
    for sample in DataLoader(dataset, batch_size=4):
        loss = network(**sample).loss
        if not torch.isfinite(loss):
            continue
        accelerator.backward(loss)  # error: [divergent-early-exit]
        optimizer.step()


def skip_overflow_together(network, dataset, optimizer):
    accelerator = Accelerator()
    for sample in DataLoader(dataset, batch_size=4):
        loss = network(**sample).loss
        worst = accelerator.gather(loss.detach()).max()
        if not torch.isfinite(worst):
            continue
        accelerator.backward(loss)
        optimizer.step()


def stop_early(network, valid_loader, patience):
    best, waited = float("inf"), 0
    for _ in range(100):
        total = 0.0
        for step, (x, y) in enumerate(valid_loader):
            total += (network(x) - y).abs().sum().item()
        waited = 0 if total < best else waited + 1
        best = min(best, total)
        if waited > patience:
            break
        dist.barrier()  # error: [divergent-early-exit]


def stop_early_together(network, valid_loader, patience):
    best, waited = float("inf"), 0
    for _ in range(100):
        total = torch.zeros(1)
        for step, (x, y) in enumerate(valid_loader):
            total += (network(x) - y).abs().sum()
        dist.all_reduce(total)
        waited = 0 if total.item() < best else waited + 1
        best = min(best, total.item())
        if waited > patience:
            break
        dist.barrier()


def by_settings_of_the_loader(network, train_loader, most):
    if len(train_loader) == 0 or not train_loader:
        return
    if train_loader.batch_size > 8 and train_loader is not None:
        return
    for step, batch in enumerate(train_loader):
        if step >= most or batch.get("skip") is None or "labels" not in batch:
            break
        if batch["x"].shape[0] != train_loader.batch_size:
            continue
        dist.all_reduce(network(batch["x"]))


def numbered(network, train_loader, most):
    for batch_idx, (batch, is_last) in train_loader:
        if batch_idx > most or is_last:
            break
        dist.all_reduce(network(batch))


class Entropy(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        picked = outputs.loss[inputs["labels"] != -100]
        if picked.numel() == 0:
            return outputs.loss
        spread = self.accelerator.gather(picked.mean())  # error: [divergent-early-exit]
        return outputs.loss + spread.std()


class Agreeing(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        picked = outputs.loss[inputs["labels"] != -100]
        count = self.accelerator.reduce(torch.tensor(picked.numel()))
        if count.item() == 0:
            return outputs.loss
        weights = inputs["weights"][inputs["labels"] != -100] if "weights" in inputs else None
        if weights is not None:
            outputs.loss = outputs.loss * self.accelerator.gather(weights.sum()).mean()
        spread = self.accelerator.gather(picked.mean())
        return outputs.loss + spread.std()


class Sharded:
    def __init__(self, network, dataset):
        self.network = DDP(network)
        self.train_loader = DataLoader(dataset, sampler=DistributedSampler(dataset))

    def epoch(self):
        for batch in self.train_loader:
            loss = self.network(batch)
            if loss.item() > 1e4:
                continue
            loss.backward()  # error: [divergent-early-exit]

    def agreed_elsewhere(self):
        for batch in self.train_loader:
            value = self.reduce_mean(batch["x"])
            if value > 1e4:
                continue
            dist.barrier()


class Ppo:
    def __init__(self, accelerator, config):
        self.accelerator = accelerator
        self.config = config
        self.is_distributed = accelerator.num_processes > 1

    def steps(self, network, dataset):
        stop = False
        for _ in range(self.config.epochs):
            if stop:
                break
            for batch in DataLoader(dataset):
                loss = network(batch)
                stop = self.too_far(loss)
                if stop:
                    break
                self.accelerator.backward(loss)

    def too_far(self, loss):
        if not self.is_distributed and loss > self.config.most:
            return True
        if self.is_distributed:
            dist.all_reduce(loss)
            return bool(loss > self.config.most)
        return False

    def steps_apart(self, network, dataset):
        for batch in DataLoader(dataset):
            loss = network(batch)
            if loss > self.config.most:
                break
            self.accelerator.backward(loss)  # error: [divergent-early-exit]
