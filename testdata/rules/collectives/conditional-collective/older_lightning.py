"""A program written for Lightning before 2.0: under plain DDP a checkpoint is written by the first rank, and nobody waits."""

import argparse
import signal

import pytorch_lightning as pl


def main(model, data):
    parser = argparse.ArgumentParser()
    parser = pl.Trainer.add_argparse_args(parser)
    trainer = pl.Trainer.from_argparse_args(parser.parse_args())
    trainer.fit(model, data)
    if trainer.global_rank == 0:
        trainer.save_checkpoint("last.ckpt")  # low: [conditional-collective]


def save_on_signal(trainer):
    def save(signum, frame):
        trainer.save_checkpoint("last.ckpt")

    signal.signal(signal.SIGUSR1, save)  # low: [collective-off-thread]
