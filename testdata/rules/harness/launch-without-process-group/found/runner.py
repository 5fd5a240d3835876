import subprocess


def run(limit):
    job = subprocess.Popen(["torchrun", "job.py"])  # error: [launch-without-process-group]
    try:
        return job.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        job.kill()
        raise
