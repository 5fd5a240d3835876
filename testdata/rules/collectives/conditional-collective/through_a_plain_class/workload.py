"""A class in a file that speaks of nothing distributed: what it calls of itself is what classes below it have made of it."""


class Workload:
    period = 10

    def evaluate(self, model):
        return self.on_split("train", model)

    def on_split(self, split, model):
        """Evaluates one split."""

    def describe(self):
        return self.name_of("train")

    def name_of(self, split):
        return split
