"""VQA evaluation of a vision-language model: one result file per rank, merged and scored on rank 0."""
import argparse
import json
import math
import os
import string
from pathlib import Path

import torch
import torch.distributed as dist
from PIL import Image
from transformers import AutoProcessor, LlavaForConditionalGeneration


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return dist.get_rank(), dist.get_world_size()


def split_list(lst, n):
    size = math.ceil(len(lst) / n)
    return [lst[i:i + size] for i in range(0, len(lst), size)]


def get_chunk(lst, n, k):
    chunks = split_list(lst, n)
    return chunks[k] if k < len(chunks) else []


class VQAModel:
    def __init__(self, name):
        self.processor = AutoProcessor.from_pretrained(name)
        self.model = LlavaForConditionalGeneration.from_pretrained(name, torch_dtype=torch.float16).cuda().eval()

    @torch.inference_mode()
    def answer(self, image, question, max_new=64):
        text = f"USER: <image>\n{question}\nAnswer with a single word or phrase. ASSISTANT:"
        inputs = self.processor(text=text, images=image, return_tensors="pt").to("cuda", torch.float16)
        out = self.model.generate(**inputs, max_new_tokens=max_new, do_sample=False)
        return self.processor.decode(out[0, inputs["input_ids"].shape[1]:], skip_special_tokens=True).strip()


def normalize(s):
    s = s.lower().translate(str.maketrans("", "", string.punctuation))
    return " ".join(w for w in s.split() if w not in {"a", "an", "the"})


def vqa_score(pred, answers):
    hits = sum(normalize(pred) == normalize(a) for a in answers)
    return min(1.0, hits / 3)


def run_rank(model, rows, image_dir, path):
    errors = 0
    with open(path, "w") as f:
        for row in rows:
            try:
                with Image.open(Path(image_dir) / row["image"]) as im:
                    text = model.answer(im.convert("RGB"), row["question"])
            except (OSError, torch.cuda.OutOfMemoryError) as e:
                print(f"{row['image']}: {e}", flush=True)
                text, errors = "", errors + 1
            f.write(json.dumps({"id": row["id"], "pred": text, "answers": row["answers"]}) + "\n")
    return errors


def merge_and_score(folder, name, world):
    """Rank 0 reads all parts and writes the merged file."""
    if dist.get_rank() != 0:
        return None
    rows = []
    for k in range(world):
        part = folder / f"{name}-{k}.jsonl"
        with open(part) as f:  # BUG 1
            rows.extend(json.loads(line) for line in f)
    rows.sort(key=lambda r: r["id"])
    acc = sum(vqa_score(r["pred"], r["answers"]) for r in rows) / max(len(rows), 1)
    (folder / f"{name}.json").write_text(json.dumps({"accuracy": acc, "rows": rows}))
    return acc


def by_type(rows, preds_path, world):
    """Accuracy per question type, by object gather."""
    table = {}
    types = {r["id"]: r.get("type", "other") for r in rows}
    with open(preds_path) as f:
        for line in f:
            r = json.loads(line)
            s, n = table.get(types[r["id"]], (0.0, 0))
            table[types[r["id"]]] = (s + vqa_score(r["pred"], r["answers"]), n + 1)
    out = [None] * world if dist.get_rank() == 0 else None
    dist.gather_object(table, out, dst=0)
    if dist.get_rank() != 0:
        return {}
    total = {}
    for part in out:
        for k, (s, n) in part.items():
            a, b = total.get(k, (0.0, 0))
            total[k] = (a + s, b + n)
    return {k: s / n for k, (s, n) in sorted(total.items())}


def cached_config(args, folder, rank):
    """Rank 0 records how the run was made; the others compare."""
    path = folder / "config.json"
    if rank == 0:
        path.write_text(json.dumps(vars(args), sort_keys=True))
    dist.barrier()
    same = torch.tensor([int(json.loads(path.read_text()) == vars(args))], device="cuda")
    dist.all_reduce(same, op=dist.ReduceOp.MIN)
    if not same.item():
        raise ValueError("ranks were started with different arguments")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="llava-hf/llava-1.5-7b-hf")
    p.add_argument("--images", default="/shared/vqa/images")
    p.add_argument("--sets", nargs="+", default=["/shared/vqa/val.jsonl"])
    p.add_argument("--out", default="/shared/vqa/results")
    args = p.parse_args()
    rank, world = setup()
    folder = Path(args.out)
    if rank == 0:
        folder.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    cached_config(args, folder, rank)
    model = VQAModel(args.model)

    for file in args.sets:
        name = Path(file).stem
        with open(file) as f:
            rows = [json.loads(line) for line in f]
        mine = get_chunk(rows, world, rank)
        part = folder / f"{name}-{rank}.jsonl"
        errors = run_rank(model, mine, args.images, part)
        acc = merge_and_score(folder, name, world)  # BUG 1
        t = torch.tensor([errors], device="cuda")
        dist.all_reduce(t)
        types = by_type(mine, part, world)
        if rank == 0:
            print(f"{name}: accuracy {100 * acc:.2f}, {int(t)} unanswered, {types}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
