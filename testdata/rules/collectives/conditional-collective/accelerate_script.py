"""Accelerate: `gather` and friends are collective, `print` and `log` are not (P01, P45b)."""
import torch
from accelerate import Accelerator, DeepSpeedPlugin


def main():
    accelerator = Accelerator(deepspeed_plugin=DeepSpeedPlugin())
    model, optimizer, loader = accelerator.prepare(*build())
    for epoch in range(3):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if accelerator.is_main_process:
            losses = accelerator.gather(loss.repeat(8))  # error: [conditional-collective]
            accelerator.print(f"epoch {epoch}: {losses.mean()}")
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            accelerator.save_state(f"epoch_{epoch}")  # error: [conditional-collective]


def main_in_step():
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(*build())
    for epoch in range(3):
        losses = accelerator.gather(torch.zeros(8))
        if accelerator.is_main_process:
            accelerator.print(f"epoch {epoch}: {losses.mean()}")
            accelerator.log({"loss": losses.mean().item()}, step=epoch)
        accelerator.wait_for_everyone()
        unwrapped = accelerator.unwrap_model(model)
        if accelerator.is_main_process:
            torch.save(unwrapped.state_dict(), f"epoch_{epoch}.pt")
        accelerator.wait_for_everyone()
        accelerator.save_state(f"epoch_{epoch}")
    with accelerator.main_process_first():
        prepare_cache()


def build():
    return torch.nn.Linear(2, 2), None, None


def prepare_cache():
    print("cache")
