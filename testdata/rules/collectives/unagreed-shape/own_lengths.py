"""Token tensors are as long as this rank's longest sequence (P22)."""
from accelerate import Accelerator
from transformers import Trainer


class Counting(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        seen = self.accelerator.gather_for_metrics(inputs["attention_mask"])  # error: [unagreed-shape]
        kept = inputs["labels"][..., 1:] != -100
        right = outputs.logits[..., :-1, :].argmax(dim=-1) == inputs["labels"][..., 1:]
        self.accelerator.gather(right & kept)  # error: [unagreed-shape]
        return outputs.loss * seen.sum()


class Reducing(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = model(**inputs)
        seen = self.accelerator.gather_for_metrics(inputs["attention_mask"].sum())
        best = outputs.logits.argmax(dim=-1)
        best = self.accelerator.pad_across_processes(best, dim=1, pad_index=-100)
        self.accelerator.gather(best)
        self.accelerator.gather(inputs["rewards"])
        self.accelerator.gather(outputs.loss)
        self.accelerator.gather(outputs.logits[:, 0])
        return outputs.loss * seen.sum()
