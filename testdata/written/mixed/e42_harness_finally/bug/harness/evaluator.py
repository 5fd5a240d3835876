import json
import logging
import os
import tempfile
import traceback

import torch
import torch.distributed as dist

from .tasks import TASKS

log = logging.getLogger(__name__)


class Evaluator:
    def __init__(self, model, out_dir):
        self.model, self.out_dir = model, out_dir
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.results = {}

    def _load(self, task):
        """All ranks read the file; the run goes on only when all could."""
        ok = 1
        try:
            task.load()
        except (OSError, ValueError) as e:
            log.error("rank %d: %s: %s", self.rank, task.name, e)
            ok = 0
        t = torch.tensor([ok], device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.MIN)
        return bool(t.item())

    def _run_local(self, task):
        scores = []
        fd, tmp = tempfile.mkstemp(prefix=f"{task.name}-{self.rank}-", dir=self.out_dir)
        f = os.fdopen(fd, "w")
        try:
            for doc in task.docs[self.rank::self.world]:
                text = self.model.generate(task.prompt(doc))
                scores.append(task.score(doc, text))
                f.write(json.dumps({"doc": doc, "text": text}) + "\n")
        finally:
            f.close()
            if scores:
                os.replace(tmp, os.path.join(self.out_dir, f"{task.name}-{self.rank}.jsonl"))
            else:
                os.unlink(tmp)
        return scores

    def run_task(self, name, path):
        task = TASKS[name](path)
        if not self._load(task):
            return None
        try:
            scores = self._run_local(task)
            t = torch.tensor([sum(scores), float(len(scores))], device="cuda")
            dist.all_reduce(t)  # BUG 1
            self.results[name] = (t[0] / t[1].clamp(min=1)).item()
        except Exception:  # BUG 1
            log.error("rank %d: task %s failed\n%s", self.rank, name, traceback.format_exc())
        finally:
            dist.barrier()  # BUG 1
        return self.results.get(name)

    def run(self, tasks):
        for name, path in tasks.items():
            value = self.run_task(name, path)
            if self.rank == 0:
                log.info("%s: %s", name, value)
        if self.rank == 0:
            with open(os.path.join(self.out_dir, "results.json"), "w") as f:
                json.dump(self.results, f, indent=2)
        dist.barrier()
        return self.results
