"""Run settings, assembled from the command line and the scheduler's environment."""
import os
from dataclasses import dataclass, field


@dataclass
class Runtime:
    proc_id: int = field(default_factory=lambda: int(os.environ.get("SLURM_PROCID", "0")))
    local_id: int = field(default_factory=lambda: int(os.environ.get("SLURM_LOCALID", "0")))
    tasks: int = field(default_factory=lambda: int(os.environ.get("SLURM_NTASKS", "1")))
    shared_disk: bool = True
    writes: bool = field(init=False)

    def __post_init__(self):
        self.writes = self.proc_id == 0 if self.shared_disk else self.local_id == 0

    def init_method(self):
        host = os.environ["SLURM_LAUNCH_NODE_IPADDR"]
        return f"tcp://{host}:{os.environ.get('MASTER_PORT', '29400')}"


@dataclass
class Optim:
    lr: float = 3e-4
    weight_decay: float = 0.1
    warmup: int = 2000


@dataclass
class Settings:
    out_dir: str
    steps: int = 20_000
    export_every: int = 2000
    batch_size: int = 8
    optim: Optim = field(default_factory=Optim)
    runtime: Runtime = field(default_factory=Runtime)
