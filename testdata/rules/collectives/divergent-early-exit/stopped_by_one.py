"""What stops the loop is set by a method, or by an object, that one rank alone calls."""

import torch.distributed as dist


class Patience:
    def __init__(self, turns):
        self.turns = turns
        self.count = 0
        self.is_over = False

    def __call__(self, loss):
        self.count += 1
        if self.count >= self.turns:
            self.is_over = True


class Trainer:
    def __init__(self):
        self.best = 0
        self.should_stop = False

    def compare(self, loss):
        if loss > self.best:
            self.best = loss
        else:
            self.should_stop = True

    def run(self, batches):
        for batch in batches:
            dist.all_reduce(batch)  # error: [divergent-early-exit]
            if dist.get_rank() == 0:
                self.compare(batch)
            if self.should_stop:
                break

    def run_together(self, batches):
        for batch in batches:
            dist.all_reduce(batch)
            self.compare(batch)
            if self.should_stop:
                break


class Hooks:
    def __init__(self):
        self.is_done = False

    def mark(self):
        self.is_done = True

    def after(self):
        if dist.get_rank() == 0:
            self.mark()

    def run(self, batches):
        for batch in batches:
            dist.all_reduce(batch)  # error: [divergent-early-exit]
            self.after()
            if self.is_done:
                break


def fit(batches, evaluate):
    patience = Patience(3)
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            patience(evaluate())
        if patience.is_over:
            break


def fit_together(batches, evaluate):
    patience = Patience(3)
    for batch in batches:
        loss = evaluate()
        dist.all_reduce(loss)
        patience(loss)
        if patience.is_over:
            break


def counted(batches):
    patience = Patience(3)
    for batch in batches:
        dist.all_reduce(batch)
        if dist.get_rank() == 0:
            patience(batch)
            print(patience.is_over)


class Steps:
    def __init__(self):
        self.taken = 0


def steps_of_one(batches):
    steps = Steps()
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            steps.taken += 1
        if steps.taken > 5:
            break


def reduced(loss):
    dist.all_reduce(loss)
    is_over = False
    if dist.get_rank() == 0:
        if loss > 3:
            is_over = True
    if is_over:
        return
    dist.barrier()  # error: [divergent-early-exit]


def reduced_together(loss):
    dist.all_reduce(loss)
    is_over = False
    if loss > 3:
        is_over = True
    if is_over:
        return
    dist.barrier()
