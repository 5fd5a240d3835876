"""One call that writes on one rank, and then waits for all: who takes its failure goes on without them."""
import json
import os

import torch
import torch.distributed as dist


class Saver:
    def __init__(self, folder):
        self.folder = folder

    def write(self, state, step):
        folder = os.path.join(self.folder, str(step))
        os.makedirs(folder)
        torch.save(state, os.path.join(folder, "model.pt"))

    def save(self, state, step):
        if dist.get_rank() == 0:
            self.write(state, step)
        dist.barrier()

    def save_all(self, state, step):
        self.write(state, step)
        dist.barrier()

    def save_with_care(self, state, step):
        if dist.get_rank() == 0:
            try:
                self.write(state, step)
            except OSError as error:
                print(error)
        dist.barrier()

    def note(self, step):
        dist.barrier()
        if dist.get_rank() == 0:
            with open(os.path.join(self.folder, "steps.json"), "a") as file:
                json.dump(step, file)


def train(states):
    saver = Saver("out")
    for step, state in enumerate(states):
        try:
            saver.save(state, step)
        except OSError as error:  # error: [swallowed-failure]
            print(error)


def train_writing_all(states):
    saver = Saver("out")
    for step, state in enumerate(states):
        try:
            saver.save_all(state, step)
        except OSError as error:
            print(error)


def train_with_care(states):
    saver = Saver("out")
    for step, state in enumerate(states):
        try:
            saver.save_with_care(state, step)
        except OSError as error:
            print(error)


def train_noting_behind(states):
    saver = Saver("out")
    for step, _ in enumerate(states):
        try:
            saver.note(step)
        except OSError as error:
            print(error)


def train_ending(states):
    saver = Saver("out")
    for step, state in enumerate(states):
        try:
            saver.save(state, step)
        except OSError as error:
            print(error)
            raise
