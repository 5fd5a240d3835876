#!/bin/bash
# writes to /tmp are what this file is about: echo > /tmp/comment
set -euo pipefail

WORK=/tmp/run
export TMPDIR=/tmp  # error: [shell-temp]
folder=$(mktemp -d)  # error: [shell-temp]
template=$(mktemp /tmp/run.XXXX)  # error: [shell-temp]
python train.py > /tmp/log 2>&1  # error: [shell-temp]
python train.py &>> "$WORK/log"  # error: [shell-temp]
make | tee -a "${WORK}/make.log"  # error: [shell-temp]
gcc a.c -o /tmp/a && ./a  # error: [shell-temp]
cp out/a /dev/shm/a  # error: [shell-temp]
if true; then touch /tmp/x; fi  # error: [shell-temp]
bash -c 'echo x > /tmp/x'  # error: [shell-temp]
cat > /tmp/config <<EOF  # error: [shell-temp]
inside > /tmp/document
EOF
echo done >> ~/progress  # error: [shell-temp]
