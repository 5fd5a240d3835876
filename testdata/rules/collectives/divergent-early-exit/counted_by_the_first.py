"""Epochs without progress that the first rank alone counts, since it alone has validated."""
import torch.distributed as dist


class Patience:
    def __init__(self, model, patience):
        self.model = model
        self.patience = patience
        self.waited = 0

    def validate(self, batches):
        if dist.get_rank() != 0:
            return None
        return {"accuracy": self.model.score(batches)}

    def fit(self, epochs, batches, loss):
        for _ in range(epochs):
            dist.all_reduce(loss)  # error: [divergent-early-exit]
            metrics = self.validate(batches)
            if metrics is not None:
                if metrics["accuracy"] < 0.5:
                    self.waited += 1
                else:
                    self.waited = 0
            if self.waited >= self.patience:
                break


class Shared:
    """The first rank tells the others what it has found."""

    def __init__(self, model, patience):
        self.model = model
        self.patience = patience
        self.waited = 0

    def validate(self, batches):
        found = [None]
        if dist.get_rank() == 0:
            found = [{"accuracy": self.model.score(batches)}]
        dist.broadcast_object_list(found, src=0)
        return found[0]

    def fit(self, epochs, batches, loss):
        for _ in range(epochs):
            dist.all_reduce(loss)
            metrics = self.validate(batches)
            if metrics["accuracy"] < 0.5:
                self.waited += 1
            if self.waited >= self.patience:
                break


def score(model, batches):
    if dist.get_rank() == 0:
        return model.score(batches)
    return None


def until_it_scores(model, batches, loss, patience):
    tries = 0
    for batch in batches:
        dist.all_reduce(loss)  # error: [divergent-early-exit]
        if score(model, batch) is not None:
            tries += 1
        if tries >= patience:
            break


def for_a_number_of_times(model, batches, loss, patience):
    tries = 0
    for batch in batches:
        dist.all_reduce(loss)
        if score(model, batch) is not None:
            print("scored")
        tries += 1
        if tries >= patience:
            break
