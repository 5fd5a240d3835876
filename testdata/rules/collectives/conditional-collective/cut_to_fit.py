"""Shares of a list that was cut to a multiple of the number of ranks are as long as each other."""
from accelerate import PartialState


def caption(videos, save):
    state = PartialState()
    index = len(videos) - len(videos) % state.num_processes
    videos = videos[:index]
    with state.split_between_processes(videos) as mine:
        for i, video in enumerate(mine):
            if i % 10 == 0 or i == len(mine) - 1:
                state.wait_for_everyone()
                save(video)


def caption_all(videos, save):
    state = PartialState()
    with state.split_between_processes(videos) as mine:
        for i, video in enumerate(mine):
            if i % 10 == 0 or i == len(mine) - 1:
                state.wait_for_everyone()  # error: [conditional-collective, divergent-loop]
                save(video)
