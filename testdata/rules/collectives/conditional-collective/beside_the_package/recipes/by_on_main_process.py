"""No word of the trade but what the helper is called."""
import toolkit
from toolkit.parallel import on_main_process


class Recipe(toolkit.Brain):
    def on_stage_end(self, epoch):
        if on_main_process():
            self.checkpointer.save_and_keep_only(meta={"epoch": epoch})  # error: [conditional-collective]
