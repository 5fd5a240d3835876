"""A data loader is prepared without a word to the other ranks; a model is not."""
from accelerate import Accelerator
from torch.utils.data import DataLoader


def predictions_of_one_rank(model, dataset):
    accelerator = Accelerator()
    if accelerator.is_main_process:
        loader = DataLoader(dataset, batch_size=4)
        loader = accelerator.prepare(loader)
        return [model(**batch) for batch in loader]
    return []


def models_of_one_rank(model, dataset):
    accelerator = Accelerator()
    if accelerator.is_main_process:
        loader = DataLoader(dataset, batch_size=4)
        model, loader = accelerator.prepare(model, loader)  # error: [conditional-collective]
        return [model(**batch) for batch in loader]
    return []
