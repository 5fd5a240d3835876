"""CLIP training with WebDataset shards split by node and worker."""
import torch
import webdataset as wds
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def build_pipeline(urls: str, preprocess, tokenizer, batch_size: int, workers: int):
    dataset = wds.DataPipeline(
        wds.SimpleShardList(urls),
        wds.split_by_node,
        wds.split_by_worker,
        wds.tarfile_to_samples(handler=wds.warn_and_continue),
        wds.decode("pil"),
        wds.to_tuple("jpg", "txt"),
        wds.map_tuple(preprocess, tokenizer),
        wds.batched(batch_size, partial=False),
    )
    return wds.WebLoader(dataset, batch_size=None, num_workers=workers)


class ClipTrainer:
    def __init__(self, model: DDP, optimizer, scaler, device):
        self.model = model
        self.optimizer = optimizer
        self.scaler = scaler
        self.device = device

    def _loss(self, images, texts) -> torch.Tensor:
        images = images.to(self.device, non_blocking=True)
        texts = texts.to(self.device, non_blocking=True)
        image_emb, text_emb, scale = self.model(images, texts)
        logits = scale * image_emb @ text_emb.t()
        target = torch.arange(len(images), device=self.device)
        ce = torch.nn.functional.cross_entropy
        return (ce(logits, target) + ce(logits.t(), target)) / 2

    def epoch(self, loader) -> int:
        n = 0
        for images, texts in loader:
            with torch.autocast("cuda"):
                loss = self._loss(images, texts)
            self.scaler.scale(loss).backward()  # BUG 1
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)
            n += 1
        return n

    def epoch_joined(self, loader) -> int:
        n = 0
        with Join([self.model]):
            for images, texts in loader:
                self._loss(images, texts).backward()
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                n += 1
        return n
