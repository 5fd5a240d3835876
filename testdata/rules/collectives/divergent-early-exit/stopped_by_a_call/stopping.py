"""Says when to stop: nothing here speaks of ranks."""


class Stopper:
    def __init__(self, patience):
        self.patience = patience
        self.best = None
        self.bad = 0
        self.stop = False

    def __call__(self, loss):
        if self.best is None or loss < self.best:
            self.best = loss
            self.bad = 0
        else:
            self.bad += 1
            if self.bad >= self.patience:
                self.stop = True
