"""Embed a corpus with a bi-encoder on many GPUs and mine hard negatives."""
import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def rank():
    return dist.get_rank()


def world():
    return dist.get_world_size()


class BiEncoder(nn.Module):
    def __init__(self, vocab=30522, dim=384):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, padding_idx=0)
        self.proj = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim))

    def forward(self, ids):
        return F.normalize(self.proj(self.emb(ids)), dim=-1)


def read_jsonl(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def shard(rows):
    """Contiguous parts; the last ranks may get one row less."""
    base, extra = divmod(len(rows), world())
    start = rank() * base + min(rank(), extra)
    return start, rows[start:start + base + (1 if rank() < extra else 0)]


def encode_ids(texts, vocab, max_len=64):
    out = torch.zeros(len(texts), max_len, dtype=torch.long)
    for i, t in enumerate(texts):
        ids = [1 + (sum(w.encode()) * 2654435761) % (vocab - 1) for w in t.split()[:max_len]] or [1]
        out[i, : len(ids)] = torch.tensor(ids)
    return out


@torch.inference_mode()
def embed(model, texts, device, batch=512):
    parts = [model(encode_ids(texts[i:i + batch], 30522).to(device)) for i in range(0, len(texts), batch)]
    return torch.cat(parts) if parts else torch.empty(0, 384, device=device)


def gather_rows(x):
    """All-gather of a [n_i, d] tensor whose n_i differ; returns the rows in rank order."""
    n = torch.tensor([x.shape[0]], device=x.device)
    counts = [torch.zeros_like(n) for _ in range(world())]
    dist.all_gather(counts, n)
    counts = [int(c) for c in counts]
    padded = x.new_zeros(max(counts), x.shape[1])
    padded[: x.shape[0]] = x
    out = [torch.empty_like(padded) for _ in range(world())]
    dist.all_gather(out, padded)
    return torch.cat([o[:c] for o, c in zip(out, counts)])


def gather_scores(scores, index):
    """Top-k lists of all ranks, for the merge on rank 0."""
    all_s = [torch.empty_like(scores) for _ in range(world())]
    all_i = [torch.empty_like(index) for _ in range(world())]
    dist.all_gather(all_s, scores)  # BUG 1
    dist.all_gather(all_i, index)  # BUG 1
    return torch.cat(all_s), torch.cat(all_i)


def mine(queries, corpus, positives, k, margin):
    """For each local query the k best corpus rows that are not its positive nor too close to it."""
    sim = queries @ corpus.t()
    pos = sim.gather(1, positives[:, None])
    sim.scatter_(1, positives[:, None], float("-inf"))
    sim[sim > pos - margin] = float("-inf")
    s, i = sim.topk(k, dim=1)
    return s, i


def filter_queries(rows, known):
    return [r for r in rows if r["positive"] in known]


def histogram(scores, bins=20):
    finite = scores[torch.isfinite(scores)]
    h = torch.histc(finite, bins, -1, 1) if finite.numel() else torch.zeros(bins, device=scores.device)
    dist.reduce(h, dst=0)
    return h


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--corpus", default="/shared/corpus.jsonl")
    p.add_argument("--queries", default="/shared/queries.jsonl")
    p.add_argument("--weights", default="/shared/biencoder.pt")
    p.add_argument("--out", default="/shared/negatives.jsonl")
    p.add_argument("-k", type=int, default=16)
    p.add_argument("--margin", type=float, default=0.05)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    model = BiEncoder().to(device).eval()
    model.load_state_dict(torch.load(args.weights, map_location=device))
    docs = read_jsonl(args.corpus)
    where = {d["id"]: i for i, d in enumerate(docs)}

    _, my_docs = shard(docs)
    corpus = gather_rows(embed(model, [d["text"] for d in my_docs], device))
    assert corpus.shape[0] == len(docs)

    start, my_rows = shard(read_jsonl(args.queries))
    my_rows = filter_queries(my_rows, where)  # BUG 1
    q = embed(model, [r["query"] for r in my_rows], device)
    positives = torch.tensor([where[r["positive"]] for r in my_rows], dtype=torch.long, device=device)
    scores, index = mine(q, corpus, positives, args.k, args.margin)
    hist = histogram(scores)
    scores, index = gather_scores(scores, index)

    ids = [None] * world()
    dist.all_gather_object(ids, [r["id"] for r in my_rows])
    if rank() == 0:
        flat = [x for part in ids for x in part]
        print("score histogram", hist.int().tolist())
        with open(args.out, "w") as f:
            for qid, s, i in zip(flat, scores.tolist(), index.tolist()):
                neg = [docs[j]["id"] for v, j in zip(s, i) if v != float("-inf")]
                f.write(json.dumps({"id": qid, "negatives": neg}) + "\n")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
