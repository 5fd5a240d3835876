"""Dense retrieval evaluation with the corpus sharded over ranks."""
from typing import Dict, List

import torch
import torch.distributed as dist


class RetrievalEvaluator:
    def __init__(self, encoder, corpus_shard: torch.Tensor, doc_offset: int, topk: int = 100):
        self.encoder = encoder
        self.corpus = corpus_shard
        self.offset = doc_offset
        self.topk = topk
        self.world = dist.get_world_size()
        self._embedded: Dict[tuple, torch.Tensor] = {}

    def gathered_queries(self, batch: Dict[str, torch.Tensor]) -> torch.Tensor:
        """Embeddings of all ranks' queries, [world * batch, dim]; each rank samples with replacement."""
        key = tuple(batch.pop("qid").tolist())
        if key in self._embedded:
            return self._embedded[key]  # BUG 1
        local = self.encoder(**batch).contiguous()
        out = local.new_empty(self.world * local.size(0), local.size(1))
        dist.all_gather_into_tensor(out, local)
        self._embedded[key] = out
        return out

    def search(self, queries: torch.Tensor):
        scores, index = (queries @ self.corpus.T).topk(self.topk, dim=-1)
        all_scores = [torch.empty_like(scores) for _ in range(self.world)]
        all_index = [torch.empty_like(index) for _ in range(self.world)]
        dist.all_gather(all_scores, scores)
        dist.all_gather(all_index, index + self.offset)
        scores, pick = torch.cat(all_scores, dim=1).topk(self.topk, dim=-1)
        return scores, torch.cat(all_index, dim=1).gather(1, pick)

    def collect_hits(self, hits: List[dict]) -> List[dict]:
        hits = [h for h in hits if h["score"] >= 0.0]
        if not hits:
            return []  # BUG 2
        parts = [None] * self.world
        dist.all_gather_object(parts, hits)
        return [h for part in parts for h in part]

    def collect_misses(self, misses: List[dict], total_queries: int) -> List[dict]:
        if total_queries == 0:
            return []
        parts = [None] * self.world
        dist.all_gather_object(parts, misses)
        merged = [m for part in parts for m in part]
        if not merged:
            return []
        return sorted(merged, key=lambda m: m["qid"])
