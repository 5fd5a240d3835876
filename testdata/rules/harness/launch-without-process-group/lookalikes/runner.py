import os
import signal
import subprocess


def run(limit):
    job = subprocess.Popen(["torchrun", "job.py"], start_new_session=True)
    try:
        return job.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        raise


def run_gently(limit):
    job = subprocess.Popen(["torchrun", "job.py"])
    try:
        return job.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        job.terminate()
        raise


def run_another(limit):
    job = subprocess.Popen(["python", "job.py"])
    job.kill()
