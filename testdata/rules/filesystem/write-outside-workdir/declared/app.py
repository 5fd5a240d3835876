import os


def hooks(name, data):
    open(f"/dev/shm/ipc/{name}", "wb").write(data)
    os.makedirs(os.path.expanduser("~/.cache/kernels"))
    open("/dev/shm/ipc2", "wb").write(data)  # error: [write-outside-workdir]
    open("/tmp/x", "wb").write(data)  # error: [write-outside-workdir]
