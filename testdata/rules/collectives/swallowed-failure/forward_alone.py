"""Forward is tried alone: who leaves after its failure does not come to backward, in which the peers wait."""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(loader, model, optimizer):
    model = DistributedDataParallel(model)
    for batch in loader:
        try:
            loss = model(batch)
        except RuntimeError as error:  # error: [swallowed-failure]
            if "out of memory" not in str(error):
                raise
            torch.cuda.empty_cache()
            continue
        loss.backward()
        optimizer.step()


def train_or_end(loader, model, optimizer):
    model = DistributedDataParallel(model)
    for batch in loader:
        try:
            loss = model(batch)
        except RuntimeError as error:
            raise SystemExit("a batch that does not fit") from error
        loss.backward()
        optimizer.step()
