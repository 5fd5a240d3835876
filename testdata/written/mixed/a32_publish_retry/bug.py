"""Publish sharded checkpoints to object storage with retries."""
import json
import os

import torch.distributed as dist
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

transient = retry(
    retry=retry_if_exception_type((OSError, TimeoutError)),
    stop=stop_after_attempt(5),
    wait=wait_exponential(multiplier=1, max=30),
    reraise=True,
)


class CheckpointPublisher:
    def __init__(self, store, run_id: str):
        self.store = store
        self.run_id = run_id
        self.rank = dist.get_rank()
        self.world_size = dist.get_world_size()

    def _key(self, step: int, name: str) -> str:
        return f"{self.run_id}/step_{step:08d}/{name}"

    def _manifest(self, step: int) -> str:
        return json.dumps({"step": step, "shards": self.world_size, "run": self.run_id})

    @transient
    def publish(self, local_dir: str, step: int) -> None:
        shard = f"shard_{self.rank:05d}.safetensors"
        if not self.store.exists(self._key(step, shard)):
            self.store.upload(os.path.join(local_dir, shard), self._key(step, shard))
        dist.barrier()  # BUG 1
        if self.rank == 0:
            self.store.put_text(self._key(step, "MANIFEST.json"), self._manifest(step))

    @transient
    def _upload(self, local_dir: str, step: int, name: str) -> None:
        self.store.upload(os.path.join(local_dir, name), self._key(step, name))

    @transient
    def _put_manifest(self, step: int) -> None:
        self.store.put_text(self._key(step, "MANIFEST.json"), self._manifest(step))

    def publish_final(self, local_dir: str, step: int) -> None:
        self._upload(local_dir, step, f"shard_{self.rank:05d}.safetensors")
        dist.barrier()
        if self.rank == 0:
            self._put_manifest(step)
        dist.barrier()
