"""Accelerate's state object and its utilities (P01)."""
import torch
from accelerate import PartialState
from accelerate.utils import gather_object


def collect(predictions):
    if PartialState().is_main_process:
        return gather_object(predictions)  # error: [conditional-collective]
    return predictions


def collect_in_step(predictions):
    everything = gather_object(predictions)
    if PartialState().is_main_process:
        print(len(everything))
    return everything


def write(path, text):
    state = PartialState()
    if state.is_main_process:
        with open(path, "w") as file:
            file.write(text)
        state.wait_for_everyone()  # error: [conditional-collective]


def write_in_step(path, text):
    state = PartialState()
    if state.is_main_process:
        with open(path, "w") as file:
            file.write(text)
    state.wait_for_everyone()


def per_node(path):
    state = PartialState()
    if state.is_local_main_process:
        state.wait_for_everyone()  # error: [conditional-collective]


def per_node_in_step(path):
    state = PartialState()
    with state.local_main_process_first():
        print("preparing", path)
