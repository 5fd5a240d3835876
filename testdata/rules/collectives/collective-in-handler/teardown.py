"""The process group is taken down by a rank that failed."""

import torch
import torch.distributed as dist


class Trainer:
    def __init__(self, model):
        self.model = model

    def train(self, batches):
        for batch in batches:
            loss = self.model(batch)
            dist.all_reduce(loss)

    def close(self):
        print("closed")


def cleanup():
    if dist.is_initialized():
        dist.destroy_process_group()


def typed_local(model, batches):
    trainer = None
    try:
        trainer = Trainer(model)
        trainer.train(batches)
    finally:
        if trainer:
            trainer.close()
        if dist.is_initialized():
            dist.destroy_process_group()  # error: [collective-in-handler]


def through_a_function(model, batches):
    trainer = Trainer(model)
    try:
        trainer.train(batches)
    finally:
        cleanup()  # error: [collective-in-handler]


def in_except(model, batches):
    trainer = Trainer(model)
    try:
        trainer.train(batches)
    except Exception:
        dist.destroy_process_group()  # error: [collective-in-handler]
        raise


def after_success(model, batches):
    trainer = Trainer(model)
    trainer.train(batches)
    dist.destroy_process_group()


def only_when_done(model, batches):
    done = False
    try:
        Trainer(model).train(batches)
        done = True
    finally:
        if done:
            dist.destroy_process_group()


def interrupted(model, batches):
    try:
        Trainer(model).train(batches)
    except KeyboardInterrupt:
        dist.destroy_process_group()


def served_until_interrupted(model, batches):
    try:
        Trainer(model).train(batches)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        dist.destroy_process_group()  # low: [collective-in-handler]


def local_body(path):
    try:
        return torch.load(path)
    finally:
        dist.destroy_process_group()


def of_one_process(model, path):
    alone = False
    if not dist.is_initialized():
        dist.init_process_group("nccl", rank=0, world_size=1)
        alone = True
    try:
        dist.barrier()
        model.load_state_dict(torch.load(path))
    finally:
        if alone:
            dist.destroy_process_group()


def of_a_group_of_its_own(timeout):
    group = dist.new_group(backend="nccl")
    try:
        dist.monitored_barrier(group=group, timeout=timeout)
    finally:
        dist.destroy_process_group(group)


def aborts(model, batches):
    trainer = Trainer(model)
    try:
        trainer.train(batches)
    except Exception:
        dist.distributed_c10d._abort_process_group()
        raise
