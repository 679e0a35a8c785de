#!/usr/bin/env bash
# Runs every libFuzzer target of a build tree, two at a time, for SECONDS_IN_ALL (60) of wall time.
#   tools/fuzz.sh BUILD_DIR [SECONDS_IN_ALL]
#   tools/fuzz.sh --campaign [--only NAMES] [--jobs N]     for long: 10 million inputs each, see fuzz_campaign.py
# Seeds come from tests/fuzz/corpus/NAME where there is one; what is found on the way is kept in the
# build tree. A crash leaves its input in BUILD_DIR/fuzz/NAME-crash-…: run the target on it to repeat.
set -euo pipefail
if [[ ${1:-} == --campaign ]]; then
  cd "$(dirname "$0")/.."
  CXX=clang++ cmake --preset fuzz -DYONA_WERROR=ON >/dev/null
  ninja -C build-fuzz fuzz_targets
  exec tools/fuzz_campaign.py build-fuzz "${@:2}"
fi
build="$(realpath "$1")"
cd "$(dirname "$0")/.."
targets=("$build"/fuzz/*_fuzz)
if [[ ! -x ${targets[0]} ]]; then
  echo "no fuzz targets"
  exit 0
fi
all="${2:-60}"
each=$((${#targets[@]} > 2 ? all * 2 / ${#targets[@]} : all))

fuzz() {  # target, seconds
  local name found=()
  name="$(basename "$1")"
  found=("$(dirname "$1")/corpus/$name")
  mkdir -p "${found[0]}"
  if [[ -d tests/fuzz/corpus/$name ]]; then
    found+=("tests/fuzz/corpus/$name")
  fi
  local log="$1.log"
  if "$1" -seed=1 -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$(dirname "$1")/$name-" "${found[@]}" >"$log" 2>&1; then
    echo "  $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, no finding"
  else
    tail -n 60 "$log"
    echo "  $name: FAILED"
    return 1
  fi
}
export -f fuzz
echo "fuzzing: ${#targets[@]} targets, $each seconds each"
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c "fuzz {} $each"
