#!/usr/bin/env bash
# Multi30k, English to German (or another pair), preset tiny, on a CPU.
#
#   YONA_DATA=/path/to/data recipes/multi30k/run.sh [output folder] [source] [target]
#
# The data folder holds multi30k/train.en.gz, val.en.gz and so on. Extra settings go through
# YONA_FLAGS, for example YONA_FLAGS="--updates 500 --threads 1".
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${1:-multi30k-model}
source=${2:-en}
target=${3:-de}
data=${YONA_DATA:-}/multi30k
if [ ! -f "$data/train.$source.gz" ]; then
  echo "recipes/multi30k: no data at '$data'; set YONA_DATA to the folder that holds multi30k/" >&2
  exit 77
fi
# shellcheck disable=SC2086  # YONA_FLAGS holds several words
exec "$root/build/yona" train --preset tiny \
  --train-src "$data/train.$source.gz" --train-tgt "$data/train.$target.gz" \
  --valid-src "$data/val.$source.gz" --valid-tgt "$data/val.$target.gz" \
  --src-lang "$source" --tgt-lang "$target" --output "$output" \
  --batch-tokens 4096 --updates 4000 --set data.vocabulary_size=6000 \
  --set train.warmup=1000 \
  --set train.valid_every=250 --set train.save_every=1000 ${YONA_FLAGS:-}
