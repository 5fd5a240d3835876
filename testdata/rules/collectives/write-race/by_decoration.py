"""What a decorator or a framework lets one rank do is written by one, wherever it is called."""
import torch
import torch.distributed as dist
import transformers
from mine import Trainer, is_main_process, main_process


class Runner:
    @main_process
    def save(self, path):
        torch.save(self.state, path)

    def save_open(self, path):
        torch.save(self.state, path)

    def train(self, path):
        if is_main_process():
            self.save(path)
            self.save_open(path)
        self.save(path)
        self.save_open(path)  # error: [write-race]
        dist.barrier()


class OwnTrainer(transformers.Trainer):
    def _save(self, output_dir=None, state_dict=None):
        self.model.save(output_dir)
        if self.is_world_process_zero():
            self.tokenizer.save_pretrained(output_dir)
        torch.save(self.args, output_dir + "/training_args.bin")

    def save_all(self, output_dir):
        self.model.save(output_dir)
        if self.is_world_process_zero():
            self.tokenizer.save_pretrained(output_dir)
        torch.save(self.args, output_dir + "/training_args.bin")  # error: [write-race]


class ForeignTrainer(Trainer):
    def _save(self, output_dir):
        if self.is_world_process_zero():
            self.tokenizer.save_pretrained(output_dir)
        torch.save(self.args, output_dir + "/training_args.bin")  # error: [write-race]
