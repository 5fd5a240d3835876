"""A state that every rank saves a part of, saved by one (P12)."""
import os

from accelerate import Accelerator


def train(args, model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    step = 0
    if args.resume:
        found = sorted(os.listdir(args.output))
        if found:
            step = int(found[-1].split("-")[1])
    for batch in loader:
        accelerator.backward(model(batch))
        step += 1
        if accelerator.is_main_process:
            if step % args.every == 0:
                accelerator.save_state(os.path.join(args.output, f"checkpoint-{step}"))  # error: [conditional-collective]


def train_in_step(args, model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch))
        if step % args.every == 0:
            accelerator.save_state(os.path.join(args.output, f"checkpoint-{step}"))


def save_where_all_do(args, accelerator: Accelerator, iteration, folder):
    args.save = os.path.join(args.save, folder)
    if args.save and iteration != 0:
        accelerator.save_state(args.save)
