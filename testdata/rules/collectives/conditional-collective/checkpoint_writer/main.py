from .ckpt import save_checkpoint
from .utils import dist_utils as du


def run(model, steps, path):
    for step in range(steps):
        model.step()
        if step % 100 == 0:
            save_checkpoint(model.state, path)


def run_guarded(model, steps, path):
    for step in range(steps):
        model.step()
    if du.get_rank() == 0:
        save_checkpoint(model.state, path)  # error: [conditional-collective]
