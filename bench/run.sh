#!/usr/bin/env bash
# Times a training step of yona beside its peers, on this machine, in one run: `make bench`.
#
#   bench/run.sh [--quick] [--output FILE]
#
# PyTorch is used where PYTHON (python3 by default) can import torch, Marian where it can import
# pymarian; without them yona is measured alone.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
exec "${PYTHON:-python3}" "$root/bench/train_step.py" --yona "$root/build/yona" "$@"
