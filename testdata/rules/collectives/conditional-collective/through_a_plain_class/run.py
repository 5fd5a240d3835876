import time

import torch.distributed as dist

from workload import Workload


def train(workload: Workload, model, batches):
    last = time.time()
    for batch in batches:
        model(batch)
        now = time.time()
        if now - last >= workload.period:
            workload.evaluate(model)  # error: [conditional-collective]
            last = now


def train_anything(workload, model, batches):
    last = time.time()
    for batch in batches:
        model(batch)
        if time.time() - last >= 10:
            workload.evaluate(model)  # error: [conditional-collective]
            last = time.time()


def describe(workload: Workload, batches):
    last = time.time()
    for batch in batches:
        if time.time() - last >= 10:
            print(workload.describe(), len(batch))
            last = time.time()


def main(workload, model, batches):
    dist.init_process_group("nccl")
    train(workload, model, batches)
