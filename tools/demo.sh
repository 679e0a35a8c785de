#!/usr/bin/env bash
# `make demo` once build/ is configured: says how long it will take, builds, runs the demo.
#   tools/demo.sh JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
jobs="${1:-$(nproc)}"

steps="$(ninja -C build -n yona | grep -c '^\[' || true)"
if ((steps > 2)); then
  # A source takes about seven seconds of one core; see docs/dependencies.md for what it includes.
  echo "building yona: $steps steps, about $(((steps * 7 / jobs + 59) / 60)) minutes on $jobs cores;" \
    "the demo then trains for a few minutes more" >&2
fi
cmake --build build -j "$jobs" --target yona
exec build/yona demo
