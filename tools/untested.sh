#!/usr/bin/env bash
# Lists sources of yona/ that have no test of the same name: yona/a/b.cc wants tests/a/b_test.cc (or
# _slow_test.cc, or .py). A backend's kernel is tested through its op, so tests/tensor/ops/b_test.cc
# counts for yona/backend/*/b.{cc,cu}. A reminder, not a verdict: the exit code is 0.
set -euo pipefail
cd "$(dirname "$0")/.."

has_test() {  # folder, stem
  compgen -G "tests/$1/$2_test.*" >/dev/null || compgen -G "tests/$1/$2_slow_test.*" >/dev/null
}

without=()
while read -r source; do
  folder="$(dirname "${source#yona/}")"
  stem="$(basename "${source%.*}")"
  if ! has_test "$folder" "$stem" && ! { [[ $folder == backend/* ]] && has_test tensor/ops "$stem"; }; then
    without+=("$source")
  fi
done < <(find yona -name '*.cc' -o -name '*.cu' | sort)
if ((${#without[@]})); then
  echo "${#without[@]} sources without a test of the same name:"
  printf '  %s\n' "${without[@]}"
fi
