import argparse
import json

import deepspeed
import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.integrations import HfDeepSpeedConfig

DS_CONFIG = {
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 10000},
    "train_micro_batch_size_per_gpu": 1,
}


class GreedyDecoder:
    def __init__(self, engine, tokenizer, limit):
        self.engine = engine
        self.tok = tokenizer
        self.limit = limit

    @torch.no_grad()
    def __call__(self, prompts):
        enc = self.tok(prompts, return_tensors="pt", padding=True).to(self.engine.device)
        ids, mask = enc.input_ids, enc.attention_mask
        start = ids.size(1)
        finished = torch.zeros(ids.size(0), dtype=torch.bool, device=ids.device)
        for _ in range(self.limit):
            logits = self.engine(input_ids=ids, attention_mask=mask).logits
            nxt = logits[:, -1].argmax(-1)
            nxt = nxt.masked_fill(finished, self.tok.pad_token_id)
            ids = torch.cat([ids, nxt[:, None]], dim=1)
            mask = torch.cat([mask, (~finished).long()[:, None]], dim=1)
            finished |= nxt == self.tok.eos_token_id
            done = finished.all().int()
            dist.all_reduce(done, op=dist.ReduceOp.MIN)
            if done.item():
                break
        return self.tok.batch_decode(ids[:, start:], skip_special_tokens=True)


def exact_match(pred, gold):
    return float(pred.strip().lower() == gold.strip().lower())


def shard(rows, rank, world):
    usable = len(rows) - len(rows) % world
    return rows[:usable][rank::world]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", required=True)
    ap.add_argument("--questions", required=True)
    ap.add_argument("--max-new-tokens", type=int, default=256)
    ap.add_argument("--batch", type=int, default=4)
    ap.add_argument("--local_rank", type=int, default=-1)
    args = ap.parse_args()

    deepspeed.init_distributed()
    hf_ds = HfDeepSpeedConfig(DS_CONFIG)
    tok = AutoTokenizer.from_pretrained(args.model, padding_side="left")
    tok.pad_token = tok.pad_token or tok.eos_token
    model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=torch.bfloat16)
    engine, *_ = deepspeed.initialize(model=model, config=DS_CONFIG)
    engine.eval()

    with open(args.questions) as f:
        rows = shard([json.loads(line) for line in f], dist.get_rank(), dist.get_world_size())
    decode = GreedyDecoder(engine, tok, args.max_new_tokens)

    score = torch.zeros(2, device=engine.device)
    for i in range(0, len(rows), args.batch):
        part = rows[i:i + args.batch]
        answers = decode([r["question"] for r in part])
        score[0] += sum(exact_match(a, r["answer"]) for a, r in zip(answers, part))
        score[1] += len(part)
    dist.all_reduce(score)
    if dist.get_rank() == 0:
        print(f"exact match {100 * score[0].item() / score[1].item():.2f} on {int(score[1])}")
    del hf_ds


if __name__ == "__main__":
    main()
