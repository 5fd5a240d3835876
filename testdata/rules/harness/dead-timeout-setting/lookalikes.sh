#!/bin/sh
export NCCL_TIMEOUT=60
timeout "$NCCL_TIMEOUT" torchrun job.py
