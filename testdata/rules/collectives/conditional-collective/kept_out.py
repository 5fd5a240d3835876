"""What stands behind a question that keeps a rank out is not what it issues, whatever is asked again inside."""
import torch.distributed as dist


def log(args, step, evaluate):
    if args.local_rank in [-1, 0] and step % args.every == 0:
        if args.local_rank not in [-1, 0]:
            dist.barrier()  # low: [conditional-collective]
        evaluate()
        dist.all_reduce(step)  # error: [conditional-collective]
    dist.barrier()


def by_turns(step):
    if dist.get_rank() % 2 == 0:
        dist.all_reduce(step)  # error: [conditional-collective]
        if dist.get_rank() > 0:
            dist.barrier()  # error: [conditional-collective]


def by_node(step, local_rank, node_rank):
    if local_rank == 0:
        if node_rank > 0:
            dist.barrier()  # low: [conditional-collective]
        dist.all_reduce(step)  # error: [conditional-collective]
