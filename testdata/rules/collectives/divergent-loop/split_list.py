"""A list that is dealt out to the ranks: some get one more than others."""
from accelerate import Accelerator, PartialState
from accelerate.utils import gather_object


def caption(paths, every):
    state = PartialState()
    captions = []
    with state.split_between_processes(paths) as own:
        for at, path in enumerate(own):
            captions.append(path)
            if at % every == 0:
                state.wait_for_everyone()  # error: [divergent-loop]


def caption_even(paths):
    state = PartialState()
    with state.split_between_processes(paths, apply_padding=True) as own:
        for path in own:
            state.wait_for_everyone()


def caption_once(paths):
    accelerator = Accelerator()
    captions = []
    with accelerator.split_between_processes(paths) as own:
        for path in own:
            captions.append(path)
    accelerator.wait_for_everyone()
    return gather_object(captions)


def at_least_one(paths):
    accelerator = Accelerator()
    with accelerator.split_between_processes(paths) as own:
        if len(own) > 0:
            accelerator.wait_for_everyone()  # error: [conditional-collective]
