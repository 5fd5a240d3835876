import math
import time

import deepspeed
import torch
import torch.distributed as dist

from .utils import get_all_reduce_mean, moving_average, print_rank_0, save_hf_format, save_zero_three_model


def ds_config(args):
    return {
        "train_micro_batch_size_per_gpu": args.micro_batch,
        "gradient_accumulation_steps": args.accum,
        "zero_optimization": {"stage": args.zero_stage, "overlap_comm": True},
        "bf16": {"enabled": True},
        "gradient_clipping": 1.0,
        "optimizer": {"type": "AdamW", "params": {"lr": args.lr}},
    }


class SFTEngine:
    def __init__(self, args, model, ema, tokenizer):
        self.args = args
        self.tokenizer = tokenizer
        self.model, self.optimizer, _, self.scheduler = deepspeed.initialize(
            model=model, model_parameters=model.parameters(), config=ds_config(args))
        self.ema = ema
        if ema is not None:
            ema_cfg = {k: v for k, v in ds_config(args).items() if k != "optimizer"}
            self.ema, *_ = deepspeed.initialize(model=ema, config=ema_cfg)
        self.rank = dist.get_rank()
        self.best = math.inf

    def evaluation(self, loader):
        self.model.eval()
        total, n = 0.0, 0
        for batch in loader:
            batch = {k: v.to(self.model.device) for k, v in batch.items()}
            with torch.no_grad():
                total += self.model(**batch, use_cache=False).loss.float()
            n += 1
        mean = total / max(n, 1)
        try:
            mean = get_all_reduce_mean(mean).item()
            ppl = math.exp(mean)
        except OverflowError:
            ppl = math.inf
        self.model.train()
        return ppl, mean

    def fit(self, train_loader, eval_loader):
        args = self.args
        for epoch in range(args.epochs):
            if hasattr(train_loader.sampler, "set_epoch"):
                train_loader.sampler.set_epoch(epoch)
            self.model.train()
            t0 = time.time()
            for step, batch in enumerate(train_loader):
                batch = {k: v.to(self.model.device) for k, v in batch.items()}
                loss = self.model(**batch, use_cache=False).loss
                self.model.backward(loss)
                self.model.step()
                if self.ema is not None and self.model.is_gradient_accumulation_boundary():
                    moving_average(self.model, self.ema, zero_stage=args.zero_stage)
                if step % 20 == 0:
                    print_rank_0(f"epoch {epoch} step {step} loss {loss.item():.4f} {time.time() - t0:.0f}s", self.rank)
            ppl, loss = self.evaluation(eval_loader)
            print_rank_0(f"epoch {epoch} ppl {ppl:.3f} loss {loss:.4f}", self.rank)
            if loss < self.best:
                self.best = loss
                self.model.save_checkpoint(args.output_dir, tag=f"epoch{epoch}")
        self.export()

    def export(self):
        if self.rank == 0:
            save_hf_format(self.model, self.tokenizer, self.args.output_dir)
        if self.ema is not None:
            save_zero_three_model(self.ema, self.rank, self.args.output_dir + "/ema", self.args.zero_stage)
        if self.rank == 0:  # BUG 1
            save_zero_three_model(self.model, self.rank, self.args.output_dir, self.args.zero_stage)  # BUG 1
            print(f"wrote {self.args.output_dir}")
        dist.barrier()
