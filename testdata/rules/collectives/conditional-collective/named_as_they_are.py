"""Queues, executors and events that are handed in: what they are their names say."""
import torch
import torch.distributed as dist


def drain(request_queue):
    if not request_queue.empty():
        dist.barrier()  # error: [conditional-collective]


class Saver:
    def __init__(self, executor, stop_event, waiting):
        self.executor = executor
        self.stop_event = stop_event
        self.waiting = waiting

    def poll(self, work):
        written = self.executor.submit(work)
        if written.done():
            dist.barrier()  # error: [conditional-collective]

    def stop(self):
        if self.stop_event.is_set():
            dist.barrier()  # error: [conditional-collective]

    def next(self):
        if len(self.waiting) > 0:
            dist.barrier()


def empty_task(task_queue, executor):
    """Nothing is asked that goes with the time."""
    task_queue.put(torch.empty(3))
    executor.shutdown()
    dist.barrier()


def main(request_queue, executor, stop_event):
    dist.init_process_group("gloo")
    drain(request_queue)
    saver = Saver(executor, stop_event, [])
    saver.poll(print)
    saver.stop()
    saver.next()
    empty_task(request_queue, executor)
