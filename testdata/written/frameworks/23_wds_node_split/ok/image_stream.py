"""WebDataset pipelines for image-text training."""
from dataclasses import dataclass

import webdataset as wds
from torchvision import transforms


@dataclass
class StreamConfig:
    urls: str
    samples: int
    batch_size: int = 256
    workers: int = 6
    image_size: int = 224
    shuffle: int = 5000


def _transform(size):
    return transforms.Compose(
        [
            transforms.RandomResizedCrop(size, scale=(0.9, 1.0)),
            transforms.ToTensor(),
            transforms.Normalize((0.481, 0.458, 0.408), (0.269, 0.261, 0.276)),
        ]
    )


def build_stream(cfg, tokenize, world_size):
    dataset = (
        wds.WebDataset(cfg.urls, resampled=True)
        .shuffle(cfg.shuffle)
        .decode("pil", handler=wds.warn_and_continue)
        .to_tuple("jpg;png", "txt", handler=wds.warn_and_continue)
        .map_tuple(_transform(cfg.image_size), tokenize)
        .batched(cfg.batch_size, partial=False)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=cfg.workers)
    return loader.with_epoch(cfg.samples // (cfg.batch_size * world_size))
