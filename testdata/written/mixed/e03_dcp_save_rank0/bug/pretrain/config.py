from dataclasses import dataclass, field


@dataclass
class CheckpointConfig:
    folder: str = "/shared/ckpt/run0"
    interval: int = 500
    keep_latest_k: int = 3
    export_hf: bool = True


@dataclass
class TrainConfig:
    vocab: int = 32000
    dim: int = 1024
    n_layers: int = 12
    steps: int = 10000
    batch_size: int = 4
    seq_len: int = 2048
    lr: float = 3e-4
    max_norm: float = 1.0
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)
