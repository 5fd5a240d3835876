import argparse
import json

import deepspeed
import torch
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer

from distutil import RunInfo
from sft_data import InstructionDataset


def add_args():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--train-file", required=True)
    p.add_argument("--output", required=True)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--eval-every", type=int, default=500)
    p.add_argument("--local_rank", type=int, default=-1)
    return deepspeed.add_config_arguments(p).parse_args()


def main():
    args = add_args()
    deepspeed.init_distributed()
    info = RunInfo.current()

    tok = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=torch.bfloat16)
    model.gradient_checkpointing_enable()
    engine, _, _, sched = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())

    ds = InstructionDataset(args.train_file, tok, max_len=2048)
    sampler = DistributedSampler(ds, shuffle=True, seed=17)
    loader = DataLoader(ds, engine.train_micro_batch_size_per_gpu(), sampler=sampler, collate_fn=ds.collate)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            batch = {k: v.to(engine.device) for k, v in batch.items()}
            loss = engine(**batch).loss
            engine.backward(loss)
            engine.step()
            if info.primary and engine.global_steps % 20 == 0:
                print(json.dumps({"step": engine.global_steps, "loss": loss.item()}), flush=True)

        tag = f"epoch{epoch}"
        engine.save_checkpoint(args.output, tag=tag, client_state={"epoch": epoch})
        if info.primary:
            print(f"checkpointed {tag}", flush=True)
            tok.save_pretrained(args.output)


if __name__ == "__main__":
    main()
