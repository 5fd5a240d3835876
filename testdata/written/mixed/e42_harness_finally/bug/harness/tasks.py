import json
from abc import ABC, abstractmethod
from typing import Dict, Type

TASKS: Dict[str, Type["Task"]] = {}


def register_task(name):
    def deco(cls):
        TASKS[name] = cls
        cls.name = name
        return cls
    return deco


class Task(ABC):
    name = "base"

    def __init__(self, path):
        self.path = path
        self.docs = []

    def load(self):
        with open(self.path) as f:
            self.docs = [json.loads(line) for line in f]

    @abstractmethod
    def prompt(self, doc): ...

    @abstractmethod
    def score(self, doc, text): ...


@register_task("arith")
class Arithmetic(Task):
    def prompt(self, doc):
        return f"{doc['a']}+{doc['b']}="

    def score(self, doc, text):
        return float(int(text.split()[0]) == doc["a"] + doc["b"])


@register_task("copy")
class Copy(Task):
    def prompt(self, doc):
        return f"repeat: {doc['text']}\n"

    def score(self, doc, text):
        return float(text.startswith(doc["text"]))
