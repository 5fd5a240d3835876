"""What the callbacks of the library decide, all ranks decide alike, whatever they are handed."""
import torch
import torch.distributed as dist
from transformers.trainer_callback import CallbackHandler, TrainerControl, TrainerState


class Trainer:
    def __init__(self, model, loader, callbacks):
        self.model = model
        self.loader = loader
        self.state = TrainerState()
        self.control = TrainerControl()
        self.callback_handler = CallbackHandler(callbacks, model, None, None, None)

    def step(self, batch):
        loss = self.model(**batch).loss
        loss.backward()
        return loss.detach()

    def log(self, args, logs):
        self.control = self.callback_handler.on_log(args, self.state, self.control, logs)

    def log_and_save(self, args, loss):
        if self.control.should_log:
            self.log(args, {"loss": loss.item()})
        if self.control.should_save:
            dist.all_reduce(torch.zeros(1))

    def train(self, args):
        for batch in self.loader:
            loss = self.step(batch)
            self.log_and_save(args, loss)


class TrainerOfItsOwn:
    def __init__(self, model, loader, decide):
        self.model = model
        self.loader = loader
        self.decide = decide

    def step(self, batch):
        loss = self.model(**batch).loss
        loss.backward()
        return loss.detach()

    def train(self):
        for batch in self.loader:
            loss = self.step(batch)
            if self.decide(loss.item() > 10):
                dist.all_reduce(torch.zeros(1))  # low: [conditional-collective]
