"""A script beside the package whose objects a configuration makes: what a method of theirs does is known by its name, where
one class of the package alone has it and surely issues something."""
import toolkit
from settings import load

from torch.distributed import get_rank


class Recipe(toolkit.Brain):
    def on_stage_end(self, epoch):
        if get_rank() == 0:
            self.checkpointer.save_and_keep_only(meta={"epoch": epoch})  # error: [conditional-collective]


class Shown(toolkit.Brain):
    def on_stage_end(self, epoch):
        if get_rank() == 0:
            self.meter.show_everything({"epoch": epoch})


def main(path):
    made = load(path)
    recipe = Recipe(made["modules"], made["checkpointer"], made["meter"])
    recipe.fit(range(made["epochs"]))
