"""Evaluate a hub checkpoint on a multiple choice set with torchrun; one download per node."""
import argparse
import json
import os
import shutil
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from huggingface_hub import hf_hub_download, snapshot_download
from transformers import AutoModelForCausalLM, AutoTokenizer

LOCAL_RANK = int(os.environ.get("LOCAL_RANK", 0))


def local_main():
    return LOCAL_RANK == 0


def agree(ok: bool) -> bool:
    """True when all ranks pass True."""
    t = torch.tensor([int(ok)], device="cuda")
    dist.all_reduce(t, op=dist.ReduceOp.MIN)
    return bool(t.item())


def free_gb(path):
    return shutil.disk_usage(path).free / 2 ** 30


def fetch_model(args):
    """The weights are put on each node's local scratch by its first rank."""
    target = Path(args.scratch) / args.model.replace("/", "--")
    if local_main():
        target.mkdir(parents=True, exist_ok=True)
        if free_gb(target) < args.min_free_gb:  # BUG 1
            raise OSError(f"{os.uname().nodename}: less than {args.min_free_gb} GB free under {target}")  # BUG 1
        snapshot_download(args.model, local_dir=target, allow_patterns=["*.json", "*.safetensors", "*.model"])
    dist.barrier()  # BUG 1
    return target


def fetch_questions(args):
    """Small file: retry until every node has it."""
    for attempt in range(args.retries):
        path, err = None, None
        if local_main():
            try:
                path = hf_hub_download(args.dataset, args.file, repo_type="dataset", local_dir=args.scratch)
            except Exception as e:
                err = e
        if agree(err is None):
            break
        if err is not None:
            print(f"attempt {attempt}: {err}", flush=True)
        time.sleep(5 * (attempt + 1))
    else:
        raise RuntimeError(f"{args.file} could not be fetched on every node")
    dist.barrier()
    with open(Path(args.scratch) / args.file) as f:
        return [json.loads(line) for line in f]


@torch.inference_mode()
def choice_logprob(model, tok, question, choice):
    q = tok(question, return_tensors="pt").input_ids
    full = tok(question + " " + choice, return_tensors="pt").input_ids.cuda()
    logits = model(full).logits[0, :-1].float()
    lp = F.log_softmax(logits, -1).gather(-1, full[0, 1:, None]).squeeze(-1)
    return lp[q.shape[1] - 1:].mean().item()


def evaluate(model, tok, rows, limit=None):
    rank, world = dist.get_rank(), dist.get_world_size()
    hits, n, skipped = 0, 0, 0
    for row in rows[:limit][rank::world]:
        try:
            scores = [choice_logprob(model, tok, row["question"], c) for c in row["choices"]]
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            skipped += 1
            continue
        hits += int(max(range(len(scores)), key=scores.__getitem__) == row["answer"])
        n += 1
    t = torch.tensor([hits, n, skipped], dtype=torch.float64, device="cuda")
    dist.all_reduce(t)
    return {"acc": (t[0] / t[1].clamp(min=1)).item(), "n": int(t[1]), "skipped": int(t[2])}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="EleutherAI/pythia-1b")
    p.add_argument("--dataset", default="my-org/mcq")
    p.add_argument("--file", default="test.jsonl")
    p.add_argument("--scratch", default="/local/scratch")
    p.add_argument("--min-free-gb", type=float, default=20)
    p.add_argument("--retries", type=int, default=4)
    p.add_argument("--limit", type=int)
    p.add_argument("--out", default="result.json")
    args = p.parse_args()

    torch.cuda.set_device(LOCAL_RANK)
    dist.init_process_group("nccl")
    rows = fetch_questions(args)
    folder = fetch_model(args)
    tok = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.bfloat16).cuda().eval()
    result = evaluate(model, tok, rows, args.limit)
    if dist.get_rank() == 0:
        print(result)
        with open(args.out, "w") as f:
            json.dump(result, f)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
