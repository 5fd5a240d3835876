import asyncio
import os
import shlex
import subprocess
from subprocess import check_output as capture

LOG = "/tmp/run.log"


def commands(name):
    os.system("python train.py > /tmp/log")  # error: [shell-temp]
    os.popen("mktemp -d").read()  # error: [shell-temp]
    subprocess.run("make 2>&1 | tee /tmp/make.log", shell=True)  # error: [shell-temp]
    subprocess.run(["mktemp", "-d"], check=True)  # error: [shell-temp]
    subprocess.check_call(["gcc", "a.c", "-o", "/tmp/a"])  # error: [shell-temp]
    capture(f"nvcc {name}.cu -o /tmp/{name}", shell=True)  # error: [shell-temp]
    subprocess.Popen(["bash", "-c", "echo x > /dev/shm/x"])  # error: [shell-temp]
    subprocess.run(f"echo {name} >> {LOG}", shell=True)  # error: [shell-temp]
    subprocess.run("TMPDIR=/tmp python train.py", shell=True)  # error: [shell-temp]
    subprocess.run(["python", "train.py"], env={"TMPDIR": "/tmp"})  # error: [shell-temp]
    subprocess.run(shlex.split("tee /tmp/x"), input=b"")  # error: [shell-temp]
    subprocess.run(
        ["dd", "if=/dev/zero", "of=/tmp/blob"],  # error: [shell-temp]
        check=True,
    )
    command = ["touch", "/tmp/x"]  # error: [shell-temp]
    subprocess.run(command)
    text = "folder=$(mktemp -d) && ls $folder"  # error: [shell-temp]
    subprocess.run(text, shell=True)


async def run():
    await asyncio.create_subprocess_exec("touch", "/tmp/x")  # error: [shell-temp]
    await asyncio.create_subprocess_shell("echo > /tmp/x")  # error: [shell-temp]


def shell(command):
    return subprocess.run(command, shell=True, check=True)


def through_a_helper():
    shell("echo x > /tmp/x")  # error: [shell-temp]
    shell("echo x > out/x")
