import subprocess


def test_job():
    subprocess.run(["torchrun", "--nproc-per-node=2", "job.py"], check=True)  # error: [launch-without-timeout]


def test_waiting():
    command = ["python", "-m", "torch.distributed.run", "job.py"]
    job = subprocess.Popen(command)
    assert job.wait() == 0  # error: [launch-without-timeout]
