import torch
import torch.distributed as dist

from loops import EvalLoop, resume


def main():
    dist.init_process_group("gloo")
    state = torch.zeros(4)
    # restore(state)
    # resume(state)
    resume(state)
    EvalLoop().load(state)


if __name__ == "__main__":
    main()
