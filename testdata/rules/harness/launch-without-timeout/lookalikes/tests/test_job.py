import subprocess


def test_job():
    job = subprocess.Popen(["torchrun", "--nproc-per-node=2", "job.py"], start_new_session=True)
    assert job.wait(timeout=60) == 0


def test_no_job():
    subprocess.run(["python", "job.py"], check=True)


def test_of_words():
    print("torchrun", subprocess.run(["ls"], check=True))
