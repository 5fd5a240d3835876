"""Process groups for distillation with dedicated teacher ranks."""
from dataclasses import dataclass, field
from typing import List

import torch
import torch.distributed as dist


@dataclass
class DistillLayout:
    teacher_ranks: List[int]
    student_ranks: List[int] = field(default_factory=list)

    def __post_init__(self):
        if not self.student_ranks:
            self.student_ranks = [r for r in range(dist.get_world_size()) if r not in self.teacher_ranks]


class DistillGroups:
    def __init__(self, layout: DistillLayout):
        self.layout = layout
        self.rank = dist.get_rank()
        self.teacher = None
        self.student = None
        self.is_teacher = self.rank in layout.teacher_ranks

    def setup_teacher(self):
        if self.is_teacher:
            self.teacher = dist.new_group(self.layout.teacher_ranks)  # BUG 1
        return self.teacher

    def setup_student(self):
        if self.rank in self.layout.student_ranks:
            self.student = dist.new_group(self.layout.student_ranks, use_local_synchronization=True)
        return self.student

    def setup_pair(self, index):
        pair = [self.layout.teacher_ranks[index], self.layout.student_ranks[index]]
        handle = dist.new_group(pair)
        return handle if self.rank in pair else None

    def average_teacher_logits(self, logits):
        if self.teacher is None:
            return logits
        dist.all_reduce(logits, group=self.teacher)
        return logits / len(self.layout.teacher_ranks)

    def average_student_loss(self, loss):
        if self.student is None:
            return loss
        value = loss.detach().clone()
        dist.all_reduce(value, group=self.student)
        return value / len(self.layout.student_ranks)


def cpu_side_channel(layout):
    if dist.get_rank() in layout.teacher_ranks:
        return None
    torch.set_num_threads(2)
    return dist.new_group(layout.student_ranks, backend="gloo")  # BUG 2
