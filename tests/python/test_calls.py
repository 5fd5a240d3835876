"""What is logged of the calls of ``torch.distributed``, on two gloo ranks."""

from __future__ import annotations

from pathlib import Path

from conftest import start, write

EVERYTHING = """
    import os
    import torch
    import torch.distributed as dist
    from torch.distributed import all_reduce as renamed, distributed_c10d

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    x = torch.ones(4, 3)
    grads = {"bias": torch.ones(2), "weight": torch.ones(2)}

    class Holder:
        key = "unseen"

    holder = Holder()
    holder.key = "kept"
    for name in grads:
        dist.all_reduce(grads[name])  # labels
    dist.all_reduce(
        grads.get(holder.key, x),  # attribute
        op=dist.ReduceOp.MAX,
    )
    for _ in range(3):
        renamed(x)
    dist.all_reduce(x, dist.ReduceOp(dist.ReduceOp.PRODUCT))
    dist.broadcast(x, 1)
    dist.reduce(x, dst=1, op=dist.ReduceOp.MIN)
    dist.all_gather([torch.empty(4, 3) for _ in range(world)], x)
    dist.all_gather_into_tensor(torch.empty(8, 3), x)
    objects = [None] * world
    dist.all_gather_object(objects, {"rank": rank})
    print(objects)
    dist.gather(x, [torch.empty(4, 3) for _ in range(world)] if rank == 0 else None, dst=0)
    dist.gather_object(rank, [None] * world if rank == 1 else None, dst=1)
    dist.scatter(x, [torch.ones(4, 3)] * world if rank == 0 else None, src=0)
    dist.scatter_object_list([None], [1, 2] if rank == 0 else None, src=0)
    dist.broadcast_object_list([rank], src=0)
    dist.reduce_scatter(torch.empty(2), [torch.ones(2)] * world)
    dist.reduce_scatter_tensor(torch.empty(2), torch.ones(4))
    dist.all_to_all_single(torch.empty(4), torch.ones(4))
    dist.all_to_all([torch.empty(1)] * world, [torch.ones(1)] * world)
    dist.barrier()
    dist.monitored_barrier()
    group = dist.new_group([1, 0], group_desc="pair")
    dist.broadcast(x, group_src=1, group=group)
    alone = dist.new_group([0])
    if rank == 0:
        dist.all_reduce(x, group=alone)
    local = dist.new_group([rank], use_local_synchronization=True)
    with distributed_c10d._coalescing_manager():
        dist.all_reduce(x)
        dist.all_reduce(x)
    if rank == 0:
        dist.send(x, 1, tag=7)
        dist.recv(x)
        dist.send_object_list([1], 1)
    else:
        dist.recv(x, 0, tag=7)
        dist.send(x, 0)
        dist.recv_object_list([None], 0)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 1 - rank), dist.P2POp(dist.irecv, x + 1, 1 - rank)]):
        work.wait()
    dist.all_reduce(x, async_op=True).wait()  # awaited
    dropped = dist.all_reduce(x, async_op=True)
    del dropped
    kept = dist.all_reduce(x, async_op=True)
    while not kept.is_completed():
        pass
    future = dist.all_reduce(x, async_op=True).get_future()
    future.wait()
    assert isinstance(kept, dist.Work)
    try:
        dist.all_reduce("no tensor")
    except TypeError as error:
        print("refused")
    dist.destroy_process_group(group)
    dist.destroy_process_group()
"""


ALL_MEMBERS = (
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_to_all_single",
    "barrier",
    "broadcast_object_list",
    "gather",
    "gather_object",
    "monitored_barrier",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
)


def line_of(program: Path, text: str) -> int:
    """The line that holds a text."""
    return next(number for number, line in enumerate(program.read_text().splitlines(), 1) if text in line)


def test_every_function_is_logged_once_under_its_name(tmp_path: Path) -> None:
    program = write(tmp_path, EVERYTHING)
    plain = start(program, probe=False)
    ended = start(program)
    assert [rank.code for rank in ended] == [0, 0], ended[0].err
    assert [(rank.out, rank.err) for rank in ended] == [(rank.out, rank.err) for rank in plain]
    first, second = (rank.log for rank in ended)

    assert first.one("joined") == {"rank": 0, "world": 2}
    # init, labels, attribute, repeats, product, coalesced (once), then the four with handles
    assert [call["op"] for call in first.calls() if call["op"] == "init_process_group"] == ["init_process_group"]
    assert [call["label"] for call in first.of("all_reduce")][:3] == ["name=bias", "name=weight", "holder.key=kept"]
    assert first.of("all_reduce")[2]["line"] == line_of(program, "op=dist.ReduceOp.MAX") - 2
    reductions = [call["reduce"] for call in first.of("all_reduce")]
    assert reductions[:7] == ["SUM", "SUM", "MAX", "SUM", "SUM", "SUM", "PRODUCT"]
    coalesced = [call for call in first.of("all_reduce") if len(call["tensors"]) == 2]
    assert [call["reduce"] for call in coalesced] == ["SUM"]
    assert all(call["implicit"] == "" for call in first.calls())

    broadcasts = first.of("broadcast")
    assert [call["root"] for call in broadcasts] == [1, 1]
    assert [call["ranks"] for call in broadcasts] == [[0, 1], [0, 1]]
    assert broadcasts[0]["group"] != broadcasts[1]["group"]
    assert first.of("reduce")[0]["root"] == 1
    assert first.of("reduce")[0]["tensors"] == [{"dtype": "float32", "shape": [4, 3]}]
    assert len(first.of("all_to_all")[0]["tensors"]) == 2
    for op in ALL_MEMBERS:
        assert [len(log.of(op)) for log in (first, second)] == [1, 1], op
        assert first.of(op)[0]["became"] == ["return"], op

    made = first.of("new_group")
    assert [call["members"] for call in made] == [[0, 1], [0], [0]]
    assert [call["tag"] for call in made] == [0, 0, 1]
    groups = first.all("group")
    assert [(group["ranks"], group["ordinal"], group["label"]) for group in groups] == [
        ([0, 1], 0, ""),
        ([0, 1], 1, "pair"),
        ([0], 0, ""),
        ([0], 1, ""),
    ]
    assert first.one("end")["groups"] == 3

    assert [(call["peer"], call["tag"]) for call in first.of("send")] == [(1, 7)]
    assert [(call["peer"], call["family"]) for call in first.of("recv")] == [(None, "receive")]
    assert [(call["peer"], call["family"]) for call in second.of("recv")] == [(0, "receive")]
    assert first.of("send_object_list")[0]["peer"] == 1
    assert second.of("recv_object_list")[0]["peer"] == 0
    assert [call["became"] for call in first.of("isend") + first.of("irecv")] == [["return", "wait", "waited"]] * 2
    handles = [call["became"] for call in first.of("all_reduce") if call["asynchronous"]]
    waited = ["return", "wait", "waited"]
    assert handles == [waited, ["return", "drop"], waited, waited]
    assert [call["family"] for call in first.of("destroy_process_group")] == ["leave", "leave"]
    assert [call["group"] for call in first.of("destroy_process_group")] == [groups[1]["id"], None]


def test_calls_that_nobody_in_python_issues_are_seen(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import torch
        import torch.distributed as dist
        from torch.distributed import _functional_collectives as functional
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Shard, distribute_tensor

        dist.init_process_group("gloo")
        torch.manual_seed(0)
        layers = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
        model = torch.nn.parallel.DistributedDataParallel(layers)
        out = model(torch.ones(4, 3))
        out.sum().backward()  # backward
        model(torch.ones(4, 3))  # buffers
        reduced = functional.all_reduce(torch.ones(5), "avg", dist.group.WORLD) + 1  # functional
        with torch.inference_mode():
            gathered = functional.all_gather_tensor(torch.ones(6), 0, dist.group.WORLD) + 1
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        full = distribute_tensor(torch.arange(8.0), mesh, [Shard(0)]).full_tensor()
        print(reduced, gathered, full, [parameter.grad for parameter in model.parameters()])
        dist.destroy_process_group()
        """,
    )
    ended = start(program)
    assert [rank.code for rank in ended] == [0, 0], ended[0].err
    assert "tensor([0., 1., 2., 3., 4., 5., 6., 7.])" in ended[0].out
    for log in (rank.log for rank in ended):
        assert not log.all("lost")
        backward = [call for call in log.calls() if call["line"] == line_of(program, "# backward")]
        assert [(call["op"], call["reduce"], call["implicit"]) for call in backward] == [
            ("all_reduce", "SUM", "DistributedDataParallel")
        ]
        buffers = [call for call in log.calls() if call["line"] == line_of(program, "# buffers")]
        assert {(call["op"], call["root"], call["implicit"]) for call in buffers} == {
            ("broadcast", 0, "DistributedDataParallel")
        }
        (explicit,) = [call for call in log.calls() if call["line"] == line_of(program, "# functional")]
        assert (explicit["op"], explicit["reduce"], explicit["implicit"]) == ("all_reduce", "AVG", "")
        assert [call["implicit"] for call in log.of("all_gather_into_tensor")] == ["", "DTensor"]
        assert explicit["became"] == ["return", "wait", "waited"]
        assert [call["became"][1:] for call in log.of("all_gather_into_tensor")] == [["wait", "waited"]] * 2
        assert [call["implicit"] for call in log.of("scatter")] == ["DTensor"]


def test_threads_and_exceptions(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import sys, threading
        import torch
        import torch.distributed as dist

        sys.excepthook = lambda kind, error, trace: print("my own hook", error)
        dist.init_process_group("gloo")
        group = dist.new_group([0])
        def work():
            dist.all_reduce(torch.ones(1), group=group)
            raise ValueError("in a thread")
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        dist.all_reduce(torch.ones(2))
        thread.join()
        dist.barrier()
        dist.destroy_process_group()
        dist.all_reduce(torch.ones(3))
        """,
    )
    ended = start(program, ranks=1)
    assert (ended[0].code, ended[0].out[:11]) == (1, "my own hook"), ended[0].err
    assert "ranklint" not in ended[0].err
    log = ended[0].log
    assert {call["thread"] for call in log.of("all_reduce")} == {0, 1}
    in_thread, last = log.all("raised")
    assert (in_thread["class"], in_thread["message"], in_thread["thread"]) == ("ValueError", "in a thread", "worker")
    assert last["class"] == "ValueError"
    assert last["frames"][0]["line"] == line_of(program, "torch.ones(3)")


def test_compiled_programs_stay_whole(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import torch
        import torch.distributed as dist
        from torch.distributed import _functional_collectives as functional

        dist.init_process_group("gloo")
        def step(x):
            y = functional.all_reduce(x * 2, "sum", dist.group.WORLD)
            dist.all_reduce(y)
            return y + 1
        print(torch.compile(step, backend="aot_eager", fullgraph=True)(torch.ones(3)))
        dist.destroy_process_group()
        """,
    )
    ended = start(program, ranks=1)
    assert (ended[0].code, ended[0].out) == (0, "tensor([3., 3., 3.])\n"), ended[0].err
    assert [call["op"] for call in ended[0].log.of("all_reduce")] == ["all_reduce", "all_reduce"]
