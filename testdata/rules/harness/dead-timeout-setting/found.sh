#!/bin/sh
export NCCL_TIMEOUT=60  # error: [dead-timeout-setting]
torchrun job.py
