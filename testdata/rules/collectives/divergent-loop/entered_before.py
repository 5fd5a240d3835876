"""Whether there is an entry for every name before a batch makes one: then all ranks have the same."""
import torch
import torch.distributed as dist


class Entered:
    def __init__(self):
        self.sums = {}

    def enter(self, name, value):
        self.sums[name] = self.sums.get(name, 0.0) + float(value)

    def synchronize(self):
        for name in self.sums:
            total = torch.tensor(self.sums[name])
            dist.all_reduce(total)


class Found:
    def __init__(self):
        self.found = {}

    def find(self, kind, value):
        self.found[kind] = self.found.get(kind, 0.0) + float(value)

    def merge(self):
        for kind in self.found:
            total = torch.tensor(self.found[kind])
            dist.all_reduce(total)  # error: [divergent-loop]


def evaluate(model, loader, names):
    entered = Entered()
    for name in names:
        entered.enter(f"accuracy/{name}", 0.0)
    for images, labels, types in loader:
        hits = model(images).argmax(1).eq(labels)
        for kind in types.unique().tolist():
            entered.enter(f"accuracy/{names[kind]}", hits[types == kind].float().mean())
    entered.synchronize()


def evaluate_what_comes(model, loader):
    found = Found()
    for images, labels, types in loader:
        hits = model(images).argmax(1).eq(labels)
        for kind in types.tolist():
            found.find(kind, hits.float().mean())
    found.merge()


def evaluate_by_text(model, loader):
    sums = {}
    for images, labels, types in loader:
        hits = model(images).argmax(1).eq(labels)
        for kind in types.tolist():
            sums[f"accuracy/{kind}"] = hits.float().mean()
    for name in sums:
        dist.all_reduce(sums[name])  # error: [divergent-loop]


class Largest:
    def __init__(self):
        self.largest = {}

    def note(self, kind, images):
        self.largest[kind] = images

    def share(self):
        for kind in self.largest:
            dist.all_reduce(self.largest[kind])  # error: [divergent-loop]


def evaluate_the_largest(model, loader):
    largest = Largest()
    for images, labels, types in loader:
        largest.note(types.max().item(), images)
    largest.share()
