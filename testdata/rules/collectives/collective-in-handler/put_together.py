"""What passes a question is put together; on a rank where nothing does, that fails."""
import torch
import torch.distributed as dist


def mean(gradients, key):
    try:
        kept = torch.stack([gradient[key] for gradient in gradients if key in gradient])
    except RuntimeError:
        kept = torch.zeros(1)
    except Exception:
        dist.barrier()  # error: [collective-in-handler]
        raise
    return kept.mean()


def mean_of_all(gradients, key):
    try:
        kept = torch.stack([gradient[key] for gradient in gradients])
    except Exception:
        dist.barrier()
        raise
    return kept.mean()
