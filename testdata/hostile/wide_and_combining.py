import torch.distributed as dist
变量 = dist.get_rank()
def 函数(é, 𝔫):
    文 = '🙂👨‍👩‍👧'; (dist.barrier() if 变量 == 0 else None)
