#!/bin/sh
OUT=out/run
mkdir -p "$OUT"
folder=$(mktemp -d -p "$OUT")
other=$(mktemp "$OUT/x.XXXX")
python train.py > "$OUT/log" 2>&1
python train.py > /dev/null
cat /tmp/input > "$OUT/input"
echo "see > /tmp/x"
echo 'mktemp'
rm -rf /tmp/x
cat > "$OUT/script" <<'END'
echo x > /tmp/x
mktemp
END
if [ "$1" -gt 3 ]; then ls /tmp; fi
TMPDIR="$OUT" python train.py
