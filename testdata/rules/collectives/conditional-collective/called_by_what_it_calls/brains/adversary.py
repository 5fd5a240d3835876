import os

import brains as kinds


class Adversary(kinds.Brain):
    def on_start(self, stage, epoch=None):
        if stage == "train":
            if self.part == "generator":
                self.train_critic()

    def train_critic(self):
        self.fit(range(1), self.sampled)


if __name__ == "__main__":
    brain = Adversary(settings)
    if not os.path.isfile(settings["history"]):
        print("begins anew")
    brain.fit(settings["epochs"], batches=data["train"], held_out=data["valid"])
