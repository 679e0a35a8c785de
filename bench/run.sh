#!/usr/bin/env bash
# Compares training steps of yona with its peers on this machine, in one run of 10 to 15 minutes on
# two cores: `make bench`. Nothing else should be running.
#
#   bench/run.sh [--quick] [--steps N] [--rounds N] [--output FILE]
#
# PyTorch is used where PYTHON (python3 by default) can import torch, Marian where it can import
# pymarian; without them yona is measured alone. The results go to bench/results/train_step.json;
# those of --quick, which takes a minute, only where --output says.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
output=(--output "$root/bench/results/train_step.json")
for word in "$@"; do
  [[ $word == --quick ]] && output=()
done
exec "${PYTHON:-python3}" "$root/bench/train_step.py" --yona "$root/build/yona" "${output[@]}" "$@"
