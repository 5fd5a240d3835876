"""What a hook is handed of each batch is this rank's own, and so is what is worked out of all of it."""
from lightning.pytorch.callbacks import Callback
from sacrebleu import corpus_bleu


class Best(Callback):
    def __init__(self):
        self.best = None
        self.texts = []

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.texts.extend(outputs["texts"])

    def on_validation_end(self, trainer, pl_module):
        score = corpus_bleu(self.texts, [self.texts]).score
        if self.best is None or score > self.best:
            self.best = score
            trainer.save_checkpoint("best.ckpt")  # error: [conditional-collective]


class BestOfAll(Callback):
    def __init__(self):
        self.best = None
        self.texts = []

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.texts.extend(outputs["texts"])

    def on_validation_end(self, trainer, pl_module):
        score = trainer.strategy.broadcast(corpus_bleu(self.texts, [self.texts]).score, src=0)
        if self.best is None or score > self.best:
            self.best = score
            trainer.save_checkpoint("best.ckpt")
