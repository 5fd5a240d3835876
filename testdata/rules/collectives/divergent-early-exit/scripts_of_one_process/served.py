"""A page: this one process answers each request."""

import os

import gradio
from library import plan


def load(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return open(path)


def answer(path):
    try:
        model = load(path)
    except FileNotFoundError:  # low: [swallowed-failure]
        return "nothing there"
    return plan(model)  # low: [divergent-early-exit]


gradio.Interface(answer).launch()
