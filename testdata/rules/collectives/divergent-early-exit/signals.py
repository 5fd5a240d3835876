"""A flag that a signal sets decides on one rank."""

import signal
import threading

import torch
import torch.distributed as dist


class Loop:
    def __init__(self):
        self.interrupted = False
        self.leave = threading.Event()
        signal.signal(signal.SIGTERM, self._on_term)
        signal.signal(signal.SIGUSR1, self._on_user)

    def _on_term(self, signum, frame):
        self.interrupted = True

    def _on_user(self, *unused):
        self.leave.set()

    def run(self, batches):
        for batch in batches:
            dist.all_reduce(batch)
            if self.interrupted:
                break  # error: [divergent-early-exit]

    def serve(self, batch):
        while not self.leave.is_set():
            dist.all_reduce(batch)  # error: [divergent-loop]

    def agreed(self, batches):
        for batch in batches:
            dist.all_reduce(batch)
            flag = torch.tensor(int(self.interrupted))
            dist.all_reduce(flag, op=dist.ReduceOp.MAX)
            if flag.item():
                break

    def noted(self, batches):
        for batch in batches:
            dist.all_reduce(batch)
            if self.interrupted:
                print("a signal came")


class Trainer:
    def __init__(self, connector):
        self.connector = connector

    def step(self, batch):
        dist.all_reduce(batch)

    def end_of_step(self):
        if self.connector.got_sigusr:
            raise KeyboardInterrupt  # error: [divergent-early-exit]


class Connector:
    got_sigusr = False

    def handle(self, signum, frame):
        self.got_sigusr = True


class Worker:
    """No collective in sight."""

    def __init__(self):
        self.stopped = False
        signal.signal(signal.SIGINT, self.stop)

    def stop(self, signum, frame):
        self.stopped = True

    def work(self, jobs):
        for job in jobs:
            if self.stopped:
                return
            job()


class Listening:
    """Threads beside the steps listen for commands and report until the job stops."""

    def __init__(self, commands, trainer):
        self.should_stop = False
        self.commands = commands
        self.trainer = trainer
        signal.signal(signal.SIGTERM, self._on_term)
        threading.Thread(target=self._listen, daemon=True).start()

    def _on_term(self, signum, frame):
        self.should_stop = True

    def _listen(self):
        while not self.should_stop:
            self.trainer.note(self.commands.get(timeout=1))

    def run(self, batches):
        def report():
            while not self.should_stop:
                print("still here")

        threading.Thread(target=report).start()
        for batch in batches:
            dist.all_reduce(batch)
            self.check()

    def check(self):
        if self.should_stop:
            raise KeyboardInterrupt  # error: [divergent-early-exit]
