#!/usr/bin/env bash
# How well does attention align words? Trains German to English on Europarl, written as the gold
# sentences are (lower-cased, punctuation apart), and gives the alignment error of every head.
#
#   YONA_DATA=/path/to/data recipes/word-align/run.sh [output folder]
#
# The data folder holds europarl-en-de/ and word-align/. A folder that has a model already is only
# scored. Extra settings of the training go through YONA_FLAGS, for example "--updates 1000".
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${1:-word-align-model}
data=${YONA_DATA:-}
if [ ! -f "$data/word-align/europarl100.de.xz" ] || [ ! -f "$data/europarl-en-de/train.de.xz" ]; then
  echo "recipes/word-align: no data at '$data'; set YONA_DATA to the folder that holds word-align/ and europarl-en-de/" >&2
  exit 77
fi
text=$output.text
if [ ! -f "$output/config.json" ]; then
  mkdir -p "$text"
  for set in train valid; do
    python3 "$root/recipes/word-align/prepare.py" "$data/europarl-en-de/$set" "$text/$set"
  done
  # shellcheck disable=SC2086  # YONA_FLAGS holds several words
  "$root/build/yona" train --preset tiny --src-lang de --tgt-lang en --output "$output" \
    --train-src "$text/train.de" --train-tgt "$text/train.en" \
    --valid-src "$text/valid.de" --valid-tgt "$text/valid.en" \
    --batch-tokens 4096 --updates 4000 --set data.vocabulary_size=8000 --set train.warmup=800 \
    --set model.dropout=0.1 --set train.valid_every=500 --set train.save_every=500 ${YONA_FLAGS:-}
fi
gold=$data/word-align/europarl100
"$root/build/yona" attention --model "$output" --input "$gold.de.xz" --target-input "$gold.en.xz" \
  --align-error "$gold.de-en.align.xz"
