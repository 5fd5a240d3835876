"""The dry run: what each rank would issue, from one process and without communication."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import DEADLINE, PACKAGE, environment, logs, write


def test_ranks_run_in_turn_and_issue_what_they_would(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import sys
        import torch
        import torch.distributed as dist

        dist.init_process_group("nccl")
        rank, world = dist.get_rank(), dist.get_world_size()
        print(rank, world, sys.argv[1:])
        pair = dist.new_group([0, 1], backend="gloo")
        if rank == 0:
            dist.broadcast(torch.ones(3), 0)
        objects = [None] * world
        dist.all_gather_object(objects, rank)
        assert objects == [rank] * world
        dist.broadcast_object_list([rank], src=0)
        dist.gather_object(rank, [None] * world if rank == 0 else None, dst=0)
        out = [None]
        dist.scatter_object_list(out, [7] * world if rank == 0 else None, src=0)
        if rank < 2:
            dist.all_reduce(torch.ones(2), group=pair)
        if rank == 1:
            dist.recv(torch.ones(1), 0)
        dist.monitored_barrier()
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
        model(torch.ones(1, 2)).sum().backward()
        if rank == 2:
            raise ValueError("only here")
        dist.destroy_process_group()
        """,
    )
    log = tmp_path / "log"
    command = [sys.executable, PACKAGE / "dry.py", "--world", "3", "--log", log, "--", program, "--steps", "1"]
    ended = subprocess.run(
        command, env=environment(None), cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert ended.stdout.splitlines() == [f"{rank} 3 ['--steps', '1']" for rank in range(3)], ended.stderr
    assert ended.returncode == 1
    found = logs(log, "r")
    assert [entry.one("joined") for entry in found] == [{"rank": rank, "world": 3} for rank in range(3)]
    assert [entry.one("start")["argv"] for entry in found] == [[str(program), "--steps", "1"]] * 3
    assert [len([call for call in entry.of("broadcast") if not call["implicit"]]) for entry in found] == [1, 0, 0]
    assert [[call["ranks"] for call in entry.of("all_reduce")] for entry in found] == [
        [[0, 1], [0, 1, 2]],
        [[0, 1], [0, 1, 2]],
        [[0, 1, 2]],
    ]
    assert found[0].of("all_reduce")[-1]["implicit"] == "DistributedDataParallel"
    assert [entry.all("raised")[0]["message"] for entry in found if entry.all("raised")] == ["only here"]
    assert "ranklint" not in ended.stderr
    assert ended.stderr.strip().endswith("ValueError: only here")
