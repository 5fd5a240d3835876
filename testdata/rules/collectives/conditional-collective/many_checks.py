"""A barrier of one rank behind more checks of a library's arguments than can be traced one by one (P01)."""
import os
import time

import torch.distributed as dist


def checked(settings):
    if settings.get("width") is None:
        raise ValueError("width is missing")
    if isinstance(settings["width"], str) and not settings["width"].isdigit():
        raise TypeError("width is no number")
    if settings.get("depth") is None:
        raise ValueError("depth is missing")
    if isinstance(settings["depth"], str) and not settings["depth"].isdigit():
        raise TypeError("depth is no number")
    if settings.get("heads") is None:
        raise ValueError("heads is missing")
    if isinstance(settings["heads"], str) and not settings["heads"].isdigit():
        raise TypeError("heads is no number")
    if settings.get("hidden") is None:
        raise ValueError("hidden is missing")
    if isinstance(settings["hidden"], str) and not settings["hidden"].isdigit():
        raise TypeError("hidden is no number")
    if settings.get("vocabulary") is None:
        raise ValueError("vocabulary is missing")
    if isinstance(settings["vocabulary"], str) and not settings["vocabulary"].isdigit():
        raise TypeError("vocabulary is no number")
    if settings.get("dropout") is None:
        raise ValueError("dropout is missing")
    if isinstance(settings["dropout"], str) and not settings["dropout"].isdigit():
        raise TypeError("dropout is no number")
    if settings.get("groups") is None:
        raise ValueError("groups is missing")
    if isinstance(settings["groups"], str) and not settings["groups"].isdigit():
        raise TypeError("groups is no number")
    if settings.get("kernel") is None:
        raise ValueError("kernel is missing")
    if isinstance(settings["kernel"], str) and not settings["kernel"].isdigit():
        raise TypeError("kernel is no number")
    if settings.get("stride") is None:
        raise ValueError("stride is missing")
    if isinstance(settings["stride"], str) and not settings["stride"].isdigit():
        raise TypeError("stride is no number")
    if settings.get("padding") is None:
        raise ValueError("padding is missing")
    if isinstance(settings["padding"], str) and not settings["padding"].isdigit():
        raise TypeError("padding is no number")
    if settings.get("dilation") is None:
        raise ValueError("dilation is missing")
    if isinstance(settings["dilation"], str) and not settings["dilation"].isdigit():
        raise TypeError("dilation is no number")
    if settings.get("scale") is None:
        raise ValueError("scale is missing")
    if isinstance(settings["scale"], str) and not settings["scale"].isdigit():
        raise TypeError("scale is no number")
    if settings.get("offset") is None:
        raise ValueError("offset is missing")
    if isinstance(settings["offset"], str) and not settings["offset"].isdigit():
        raise TypeError("offset is no number")
    if settings.get("epsilon") is None:
        raise ValueError("epsilon is missing")
    if isinstance(settings["epsilon"], str) and not settings["epsilon"].isdigit():
        raise TypeError("epsilon is no number")
    if settings.get("momentum") is None:
        raise ValueError("momentum is missing")
    if isinstance(settings["momentum"], str) and not settings["momentum"].isdigit():
        raise TypeError("momentum is no number")
    if settings.get("decay") is None:
        raise ValueError("decay is missing")
    if isinstance(settings["decay"], str) and not settings["decay"].isdigit():
        raise TypeError("decay is no number")
    if settings.get("warmup") is None:
        raise ValueError("warmup is missing")
    if isinstance(settings["warmup"], str) and not settings["warmup"].isdigit():
        raise TypeError("warmup is no number")
    if settings.get("cooldown") is None:
        raise ValueError("cooldown is missing")
    if isinstance(settings["cooldown"], str) and not settings["cooldown"].isdigit():
        raise TypeError("cooldown is no number")
    if settings.get("window") is None:
        raise ValueError("window is missing")
    if isinstance(settings["window"], str) and not settings["window"].isdigit():
        raise TypeError("window is no number")
    if settings.get("overlap") is None:
        raise ValueError("overlap is missing")
    if isinstance(settings["overlap"], str) and not settings["overlap"].isdigit():
        raise TypeError("overlap is no number")
    if settings.get("horizon") is None:
        raise ValueError("horizon is missing")
    if isinstance(settings["horizon"], str) and not settings["horizon"].isdigit():
        raise TypeError("horizon is no number")
    if settings.get("stages") is None:
        raise ValueError("stages is missing")
    if isinstance(settings["stages"], str) and not settings["stages"].isdigit():
        raise TypeError("stages is no number")
    if settings.get("blocks") is None:
        raise ValueError("blocks is missing")
    if isinstance(settings["blocks"], str) and not settings["blocks"].isdigit():
        raise TypeError("blocks is no number")
    if settings.get("experts") is None:
        raise ValueError("experts is missing")
    if isinstance(settings["experts"], str) and not settings["experts"].isdigit():
        raise TypeError("experts is no number")
    if not os.path.isfile(settings["weights"]):
        raise FileNotFoundError(settings["weights"])
    return settings


def refuse(settings):
    if os.path.isfile(settings["log"]):
        raise RuntimeError(settings["log"])
    raise RuntimeError("one process is enough")


def train(parts, steps, step):
    settings = parts["common"]
    settings = checked({**settings, "name": "encoder"})
    settings = checked({**settings, "name": "decoder"})
    settings = checked({**settings, "name": "embedding"})
    settings = checked({**settings, "name": "head"})
    settings = checked({**settings, "name": "optimizer"})
    settings = checked({**settings, "name": "schedule"})
    settings = checked({**settings, "name": "loader"})
    settings = checked({**settings, "name": "sampler"})
    settings = checked({**settings, "name": "logger"})
    settings = checked({**settings, "name": "tokenizer"})
    settings = checked({**settings, "name": "teacher"})
    settings = checked({**settings, "name": "critic"})
    settings = checked({**settings, "name": "student"})
    settings = checked({**settings, "name": "actor"})
    settings = checked({**settings, "name": "reward"})
    settings = checked({**settings, "name": "buffer"})
    for index in range(steps):
        step(index)
        if dist.get_rank() == 0 and index % 100 == 0:
            dist.barrier()  # error: [conditional-collective]


def train_in_step(parts, steps, step):
    for part in parts:
        checked(part)
    for index in range(steps):
        step(index)
        if index % 100 == 0:
            dist.barrier()


def train_for_a_while(parts, steps, step, limit):
    # What the checks rule out is not known here: what differs in a fact alone is less certain.
    settings = parts["common"]
    settings = checked({**settings, "name": "encoder"})
    settings = checked({**settings, "name": "decoder"})
    settings = checked({**settings, "name": "embedding"})
    settings = checked({**settings, "name": "head"})
    settings = checked({**settings, "name": "optimizer"})
    settings = checked({**settings, "name": "schedule"})
    settings = checked({**settings, "name": "loader"})
    settings = checked({**settings, "name": "sampler"})
    settings = checked({**settings, "name": "logger"})
    settings = checked({**settings, "name": "tokenizer"})
    settings = checked({**settings, "name": "teacher"})
    settings = checked({**settings, "name": "critic"})
    settings = checked({**settings, "name": "student"})
    settings = checked({**settings, "name": "actor"})
    settings = checked({**settings, "name": "reward"})
    settings = checked({**settings, "name": "buffer"})
    begun = time.time()
    for index in range(steps):
        step(index)
        late = time.time() - begun > limit
        if late:
            dist.barrier()  # low: [conditional-collective]
    # But what the question itself finds out no check has ruled out.
    if time.time() - begun > limit:
        dist.barrier()  # error: [conditional-collective]


def train_alone(parts, steps, step):
    settings = parts["common"]
    settings = checked({**settings, "name": "encoder"})
    settings = checked({**settings, "name": "decoder"})
    settings = checked({**settings, "name": "embedding"})
    settings = checked({**settings, "name": "head"})
    settings = checked({**settings, "name": "optimizer"})
    settings = checked({**settings, "name": "schedule"})
    settings = checked({**settings, "name": "loader"})
    settings = checked({**settings, "name": "sampler"})
    settings = checked({**settings, "name": "logger"})
    settings = checked({**settings, "name": "tokenizer"})
    settings = checked({**settings, "name": "teacher"})
    settings = checked({**settings, "name": "critic"})
    settings = checked({**settings, "name": "student"})
    settings = checked({**settings, "name": "actor"})
    settings = checked({**settings, "name": "reward"})
    settings = checked({**settings, "name": "buffer"})
    if dist.get_world_size() > 1:
        refuse(settings)
    for index in range(steps):
        step(index)
        if dist.get_rank() == 0 and index % 100 == 0:
            dist.barrier()
