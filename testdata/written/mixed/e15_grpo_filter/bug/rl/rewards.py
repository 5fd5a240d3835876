import re
from typing import Callable, Dict, List

REWARDS: Dict[str, Callable] = {}


def register_reward(name):
    def deco(fn):
        REWARDS[name] = fn
        return fn
    return deco


@register_reward("exact")
def exact_match(completions: List[str], answers: List[str]):
    out = []
    for c, a in zip(completions, answers):
        m = re.search(r"\\boxed\{([^}]*)\}", c)
        out.append(1.0 if m and m.group(1).strip() == a else 0.0)
    return out


@register_reward("format")
def has_think(completions, answers):
    return [0.2 if "</think>" in c else 0.0 for c in completions]


def score(names, completions, answers):
    total = [0.0] * len(completions)
    for n in names:
        total = [t + r for t, r in zip(total, REWARDS[n](completions, answers))]
    return total
