from dataclasses import dataclass


@dataclass
class Plan:
    do_recompute: bool
    num_steps: int
    expected_calls: int  # error: [unchecked-plan]

    def validate(self, steps):
        if self.num_steps != len(steps):
            raise ValueError("steps")


def judge(plan: Plan, observed):
    if observed != plan.expected_calls:
        raise ValueError("another number of calls was made")
