"""A state that every rank saves a part of, saved by one (P12)."""
import os
import time

from accelerate import Accelerator, DeepSpeedPlugin


def train(args, model, optimizer, loader):
    accelerator = Accelerator(deepspeed_plugin=DeepSpeedPlugin())
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


def save_where_a_clock_says(folder, accelerator: Accelerator):
    # Which folder it is differs, whether there is one does not.
    path = os.path.join(folder, str(time.time()))
    if path:
        accelerator.wait_for_everyone()
