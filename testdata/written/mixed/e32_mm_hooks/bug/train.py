import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from mini import Runner

CFG = dict(
    work_dir="/shared/work_dirs/r1",
    max_epochs=24,
    hooks=[dict(type="SamplerSeedHook"), dict(type="SyncBuffersHook"),
           dict(type="CheckpointHook", interval=2, out_dir="/shared/work_dirs/r1")],
    log_hooks=[dict(type="TextLoggerHook", interval=50), dict(type="GradStatsHook", interval=50)],
)


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(20_000, 3, 32, 32), torch.randint(0, 10, (20_000,)))
    val = TensorDataset(torch.randn(2_000, 3, 32, 32), torch.randint(0, 10, (2_000,)))
    loader = DataLoader(data, 64, sampler=DistributedSampler(data), drop_last=True)
    val_loader = DataLoader(val, 64, sampler=DistributedSampler(val, shuffle=False))
    net = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(64, 10)).to(device)
    model = DDP(net, device_ids=[device.index], broadcast_buffers=False)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    runner = Runner(model, loader, opt, device, CFG["work_dir"], CFG["max_epochs"])
    runner.register_training_hooks(CFG)
    runner.register_hook(dict(type="EvalHook", loader=val_loader, interval=1))
    runner.run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
