#!/usr/bin/env bash
# A plan of run.sh with seeds 1, 2 and 3 side by side, and the mean of their BLEU.
#
#   YONA_DATA=/path/to/data recipes/multi30k/seeds.sh [--full | --best] [OUTPUT [SOURCE TARGET]]
#
# Models go to OUTPUT-1 to OUTPUT-3, logs beside them. Runs that share a GPU give the bits that they
# would give alone, only later; NVIDIA's MPS (nvidia-cuda-mps-control -d) makes three twice as fast.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
plan=()
if [[ ${1:-} == --* ]]; then
  plan=("$1")
  shift
fi
output=${1:-multi30k-seeds}
shift $(($# > 0 ? 1 : 0))
jobs=()
for seed in 1 2 3; do
  "$folder/run.sh" "${plan[@]}" --seed "$seed" "$output-$seed" "$@" > "$output-$seed.score" 2> "$output-$seed.log" &
  jobs+=($!)
done
status=0
for job in "${jobs[@]}"; do
  wait "$job" || status=$?
done
if [ $status -ne 0 ]; then
  tail -n 3 "$output"-[123].log >&2
  exit $status
fi
awk '/^ *BLEU/ { match($0, /= [0-9.]+/); bleu = substr($0, RSTART + 2, RLENGTH - 2)
               print FILENAME ": " bleu; sum += bleu; n++ }
     END { printf "mean of %d: %.2f\n", n, sum / n }' "$output"-[123].score
