"""Multiple-choice evaluation of large sharded models."""
from collections import defaultdict
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.utils.rnn import pad_sequence

from answer_cache import AnswerCache


@dataclass(frozen=True)
class Request:
    task: str
    doc: int
    context: str
    continuation: str
    gold: bool


class Harness:
    def __init__(self, model, tokenizer, cache_dir, batch_size=8):
        self.model = model.eval()
        self.tok = tokenizer
        self.batch_size = batch_size
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.cache = AnswerCache(cache_dir, self.rank)

    def _encode(self, request):
        ctx = self.tok(request.context)["input_ids"]
        cont = self.tok(request.continuation, add_special_tokens=False)["input_ids"]
        return torch.tensor(ctx + cont), len(cont)

    @torch.no_grad()
    def _loglikelihoods(self, batch):
        encoded = [self._encode(r) for r in batch]
        ids = pad_sequence([e for e, _ in encoded], batch_first=True).cuda()
        logp = self.model(ids).logits.float().log_softmax(-1)  # BUG
        scores = []
        for row, (seq, n) in enumerate(encoded):
            end = len(seq)
            span = logp[row, end - n - 1 : end - 1]
            target = ids[row, end - n : end, None]
            scores.append(span.gather(-1, target).sum().item())
        return scores

    def _answer(self, requests):
        pending = [r for r in requests if r not in self.cache]
        pending.sort(key=lambda r: len(r.context), reverse=True)
        for start in range(0, len(pending), self.batch_size):  # BUG
            batch = pending[start : start + self.batch_size]
            for request, score in zip(batch, self._loglikelihoods(batch)):
                self.cache.put(request, score)
        return [(r, self.cache.get(r)) for r in requests]

    def evaluate(self, tasks):
        mine = []
        for task in tasks:
            docs = task.documents()
            for index in range(self.rank, len(docs), self.world):
                mine += [
                    Request(task.name, index, docs[index].question, choice, i == docs[index].answer)
                    for i, choice in enumerate(docs[index].choices)
                ]
        answers = [((r.task, r.doc), r.gold, s) for r, s in self._answer(mine)]
        parts = [None] * self.world
        dist.all_gather_object(parts, answers)

        grouped = defaultdict(list)
        for key, gold, score in (a for part in parts for a in part):
            grouped[key].append((score, gold))
        hits = defaultdict(list)
        for (task, _), options in grouped.items():
            hits[task].append(max(options)[1])
        report = {task: sum(h) / len(h) for task, h in hits.items()}
        if self.rank == 0:
            for task, acc in sorted(report.items()):
                print(f"{task:30s} {acc:.4f}")
        return report
