import argparse
import logging
import os

import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM, AutoTokenizer

from harness.evaluator import Evaluator


class HFModel:
    def __init__(self, name, device):
        self.tok = AutoTokenizer.from_pretrained(name)
        self.net = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).to(device).eval()
        self.device = device

    @torch.inference_mode()
    def generate(self, prompt, max_new=32):
        ids = self.tok(prompt, return_tensors="pt").input_ids.to(self.device)
        out = self.net.generate(ids, max_new_tokens=max_new, do_sample=False, pad_token_id=self.tok.eos_token_id)
        return self.tok.decode(out[0, ids.shape[1]:], skip_special_tokens=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="gpt2")
    p.add_argument("--task", action="append", default=[], help="name=path")
    p.add_argument("--out", default="/shared/eval")
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    try:
        if dist.get_rank() == 0:
            os.makedirs(args.out, exist_ok=True)
        dist.barrier()
        tasks = dict(t.split("=", 1) for t in args.task)
        results = Evaluator(HFModel(args.model, device), args.out).run(tasks)
        if dist.get_rank() == 0:
            print(results)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
