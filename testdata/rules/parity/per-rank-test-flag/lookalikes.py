"""The same flag with the same value everywhere; the rank is in the value's meaning, not in its making."""
import os
import subprocess


def everywhere(command, world_size, rank):
    os.environ["SCOPE_TEST_DROP_ON_RANK"] = "1"
    os.environ["SCOPE_RANK"] = str(rank)
    os.environ["RANK"] = str(rank)
    if rank == 0:
        os.environ["SCOPE_LOG"] = "1"
        print("SCOPE_TEST_DROP is", rank)
    for rank in range(world_size):
        env = dict(os.environ, RANK=str(rank), SCOPE_TEST_DROP_ON_RANK="1")
        env["SCOPE_TEST_DELAY"] = "1"
        subprocess.Popen(command, env=env)


def parsed(world_size):
    os.environ["SCOPE_TEST_WORLD"] = str(world_size)
    expected = {"SCOPE_TEST_DROP": "1"}
    return expected
