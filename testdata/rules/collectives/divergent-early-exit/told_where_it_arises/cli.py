from pathlib import Path


def resume(model, trainer, batches):
    if Path(model).exists():
        trainer = trainer.resumed_from(model)
        for batch in batches:
            trainer.train_step(batch)  # low: [conditional-collective]
