"""Dataset preprocessing with the main process going first."""
import contextlib
import logging
import os

import torch.distributed as dist

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def main_process_first(desc: str):
    is_main = dist.get_rank() == 0
    if not is_main:
        logger.debug("waiting for the main process: %s", desc)
        dist.barrier()
    yield
    if is_main:
        dist.barrier()  # BUG 1


@contextlib.contextmanager
def node_leader_first(node_group: dist.ProcessGroup):
    leader = int(os.environ["LOCAL_RANK"]) == 0
    try:
        if not leader:
            dist.barrier(group=node_group)
        yield
    finally:
        if leader:
            dist.barrier(group=node_group)


class DataPreparer:
    def __init__(self, raw, tokenizer, args, node_group: dist.ProcessGroup):
        self.raw = raw
        self.tokenizer = tokenizer
        self.args = args
        self.node_group = node_group

    def _tokenize(self, examples):
        return self.tokenizer(examples["text"], truncation=True, max_length=self.args.max_length)

    def tokenized(self):
        """Tokenise through the shared cache, or on the fly if the cache cannot be written."""
        try:
            with main_process_first("tokenise"):
                return self.raw.map(self._tokenize, batched=True, cache_file_name=self.args.cache_file)
        except OSError as exc:
            logger.warning("cache not usable (%s), tokenising on the fly", exc)
            return self.raw.with_transform(self._tokenize)

    def grouped(self, dataset):
        block = self.args.block_size

        def group(examples):
            ids = sum(examples["input_ids"], [])
            usable = len(ids) // block * block
            return {"input_ids": [ids[i : i + block] for i in range(0, usable, block)]}

        with node_leader_first(self.node_group):
            return dataset.map(group, batched=True, remove_columns=dataset.column_names)
