"""A trainer whose first rank saves alone, by a name that the trainer of Lightning has too."""

import torch.distributed as dist


def save_checkpoint(args, trainer, epoch_itr, val_loss):
    if args.no_save or dist.get_rank() != 0:
        return
    state = {"train_iterator": epoch_itr.state_dict(), "val_loss": val_loss}
    trainer.save_checkpoint(args.path, state)  # low: [divergent-early-exit]
