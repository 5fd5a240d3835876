"""No word of the trade but what the helper is called."""
import toolkit
from toolkit.parallel import on_rank0


class Recipe(toolkit.Brain):
    def on_stage_end(self, epoch):
        if on_rank0():
            self.checkpointer.save_and_keep_only(meta={"epoch": epoch})  # error: [conditional-collective]
