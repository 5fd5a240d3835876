"""As many turns as the longest of what a rank is dealt out has parts."""
import torch.distributed as dist


def decode(model, prompts):
    longest = max(len(prompt) for prompt in prompts)
    for at in range(longest):
        logits = model(prompts, at)
        dist.all_reduce(logits)


def serve(model, prompts):
    mine = prompts[dist.get_rank() :: dist.get_world_size()]
    decode(model, mine)  # error: [divergent-loop]


def decode_in_step(model, prompts, limit):
    longest = min(limit, 512)
    for at in range(longest):
        logits = model(prompts, at)
        dist.all_reduce(logits)


def serve_in_step(model, prompts, limit):
    mine = prompts[dist.get_rank() :: dist.get_world_size()]
    decode_in_step(model, mine, limit)
