import logging

import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

from . import distributed_utils as du

logger = logging.getLogger(__name__)


class Trainer:
    def __init__(self, cfg, task, model, criterion):
        self.cfg = cfg
        self.task = task
        self.criterion = criterion
        self.device = torch.device("cuda", torch.cuda.current_device())
        self._model = model.to(self.device)
        self._wrapped = None
        self.optimizer = torch.optim.Adam(self._model.parameters(), lr=cfg.lr, betas=(0.9, 0.98))
        self.num_updates = 0

    @property
    def model(self):
        if self._wrapped is None:
            if du.get_world_size() > 1:
                self._wrapped = DistributedDataParallel(self._model, device_ids=[self.device.index])
            else:
                self._wrapped = self._model
        return self._wrapped

    def _prepare(self, sample):
        if sample is None or len(sample["target"]) == 0:
            return self._dummy, True
        return sample, False

    def set_dummy(self, sample):
        self._dummy = sample

    def _forward(self, sample):
        src = sample["src"].to(self.device, non_blocking=True)
        tgt = sample["target"].to(self.device, non_blocking=True)
        logits = self.model(src)
        loss = self.criterion(logits.flatten(0, 1), tgt.flatten())
        return loss, tgt.ne(self.task.pad).sum()

    def train_step(self, samples):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        logging_output = {"loss": 0.0, "ntokens": 0.0, "ooms": 0.0}

        for i, sample in enumerate(samples):
            sample, is_dummy = self._prepare(sample)
            try:
                loss, ntokens = self._forward(sample)
                if is_dummy:
                    loss = loss * 0.0
                loss.backward()  # BUG 1
            except RuntimeError as e:
                if "out of memory" in str(e):  # BUG 1
                    logger.warning("ran out of memory on rank %d, skipping batch", du.get_rank())
                    logging_output["ooms"] += 1
                    self.optimizer.zero_grad(set_to_none=True)
                    torch.cuda.empty_cache()
                    continue
                raise
            if not is_dummy:
                logging_output["loss"] += loss.item()
                logging_output["ntokens"] += ntokens.item()

        logging_output = du.all_reduce_dict(logging_output, self.device)
        if logging_output["ooms"] == self.cfg.update_freq * du.get_world_size():
            raise RuntimeError("all workers OOMed, giving up")

        nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip_norm)
        self.optimizer.step()
        self.num_updates += 1
        return logging_output

    @torch.no_grad()
    def valid_step(self, sample):
        self._model.eval()
        try:
            out = self._model(sample["src"].to(self.device))
            loss = self.criterion(out.flatten(0, 1), sample["target"].to(self.device).flatten()).item()
            return {"loss": loss, "count": 1.0}
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            return {"loss": 0.0, "count": 0.0}

    def validate(self, itr):
        totals = {"loss": 0.0, "count": 0.0}
        for sample in itr:
            out = self.valid_step(sample)
            for k in totals:
                totals[k] += out[k]
        return du.all_reduce_dict(totals, self.device)

    def save(self, path):
        if du.is_master():
            torch.save({"model": self._model.state_dict(), "num_updates": self.num_updates}, path)
