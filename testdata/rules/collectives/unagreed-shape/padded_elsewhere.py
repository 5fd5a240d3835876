"""Another file pads the sequences, nobody knows how far (P22)."""
from accelerate import Accelerator


def lengths_of_a_loop(network, test_loader):
    accelerator = Accelerator()
    for batch in test_loader:
        accelerator.gather(batch["input_ids"])  # low: [unagreed-shape]
        accelerator.gather(batch["input_ids"].shape[0] * batch["score"])
