"""One method may be told by its name alone; what an object of unknown make does inside is a guess upon a guess."""
import os

import torch.distributed as dist


class Corpus:
    def __init__(self, model):
        self.model = model

    def translate_lines(self, line):
        return self.model.generate_translation(line)

    def summed_lines(self, line):
        dist.all_reduce(line)
        return line


class Translator:
    def generate_translation(self, line):
        dist.all_reduce(line)
        return line


def translate_all(corpus, folder):
    for line in os.listdir(folder):
        corpus.translate_lines(line)  # low: [divergent-loop]


def sum_all(corpus, folder):
    for line in os.listdir(folder):  # error: [unordered-iteration]
        corpus.summed_lines(line)  # low: [divergent-loop]
