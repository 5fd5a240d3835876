from dataclasses import dataclass


@dataclass
class Plan:
    do_recompute: bool
    num_steps: int
    expected_calls: int

    def validate(self, steps):
        if self.num_steps != len(steps):
            raise ValueError("steps")
        if self.expected_calls != int(self.do_recompute) + self.num_steps:
            raise ValueError("the plan does not add up")


@dataclass
class Owed:
    call_id: int
    expected_calls: int


def judge(owed: Owed, observed):
    if observed != owed.expected_calls:
        raise ValueError("another number of calls was made")
