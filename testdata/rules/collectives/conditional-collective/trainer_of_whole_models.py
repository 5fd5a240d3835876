"""A trainer saves alone where nothing in the program speaks of models in parts."""
from transformers import Trainer


def finish(model, args, data):
    trainer = Trainer(model=model, args=args, train_dataset=data)
    trainer.train()
    if args.local_rank == 0:
        trainer.save_model("out")  # low: [conditional-collective]
