"""What stands behind a question that keeps a rank out is not what it issues, whatever is asked again inside."""
import torch.distributed as dist


def log(args, step, evaluate):
    if args.local_rank in [-1, 0] and step % args.every == 0:
        if args.local_rank not in [-1, 0]:
            dist.barrier()  # low: [conditional-collective]
        evaluate()
        dist.all_reduce(step)  # error: [conditional-collective]
    dist.barrier()
