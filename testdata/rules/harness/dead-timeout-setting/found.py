import os


def start():
    os.environ["NCCL_TIMEOUT"] = "60"  # error: [dead-timeout-setting]
    os.environ.setdefault("GLOO_TIMEOUT_SECONDS", "60")  # error: [dead-timeout-setting]
