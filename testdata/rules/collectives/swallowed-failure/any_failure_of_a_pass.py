"""A pass in which ranks wait for each other may fail on one of them, whatever the handler was written for."""
from torch.nn.parallel import DistributedDataParallel


def train(loader, model, optimizer):
    model = DistributedDataParallel(model)
    for batch in loader:
        try:
            loss = model(batch)
            loss.backward()
        except Exception as error:  # error: [swallowed-failure]
            print("skipped", error)
            continue
        optimizer.step()


def train_and_tell(loader, model, optimizer):
    model = DistributedDataParallel(model)
    for batch in loader:
        try:
            loss = model(batch)
            loss.backward()
        except Exception as error:
            print("failed", error)
            raise
        optimizer.step()


def train_alone(loader, model, optimizer):
    for batch in loader:
        try:
            loss = model(batch)
            loss.backward()
        except Exception as error:
            print("skipped", error)
            continue
        optimizer.step()
