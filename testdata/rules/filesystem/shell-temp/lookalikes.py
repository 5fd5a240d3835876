import subprocess


def commands(name, run):
    subprocess.run("cat /tmp/x > out/x", shell=True)
    subprocess.run("python train.py > /dev/null 2>&1", shell=True)
    subprocess.run(["echo", ">", "/tmp/x"])
    subprocess.run(["rm", "-rf", "/tmp/x"])
    subprocess.run(["ls", "/tmp"])
    subprocess.run(["mktemp", "-p", "out"])
    subprocess.run("echo 'run > /tmp/x'", shell=True)
    subprocess.run(["cp", "/tmp/a", "out/a"])
    subprocess.run(["gcc", "a.c", "-o", f"{name}/tmp/a"])
    subprocess.run("make # > /tmp/x", shell=True)
    run("echo > /tmp/x")
    print("mktemp -d > /tmp/x")
