#!/usr/bin/env bash
# How well does attention align words? Trains a model on text written as the gold sentences are
# (lower-cased, punctuation apart), and gives the alignment error of every head.
#
#   YONA_DATA=/path/to/data recipes/word-align/run.sh [--hansards] [output folder]
#
# German to English on Europarl, for europarl100; with --hansards English to French on Tatoeba, for
# Hansards. The data folder holds word-align/ and europarl-en-de/ or tatoeba-en-fr/. A folder that has
# a model already is only scored. Extra settings of the training go through YONA_FLAGS, for example
# "--updates 1000" or "--device cuda --precision bf16".
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
gold=europarl100 corpus=europarl-en-de source=de target=en step=2 base=0
if [ "${1:-}" = --hansards ]; then
  gold=hansards corpus=tatoeba-en-fr source=en target=fr step=1 base=1
  shift
fi
output=${1:-word-align-model}
data=${YONA_DATA:-}
if [ ! -f "$data/word-align/$gold.$source.xz" ] || [ ! -f "$data/$corpus/train.$source.xz" ]; then
  echo "recipes/word-align: no data at '$data'; set YONA_DATA to the folder that holds word-align/ and $corpus/" >&2
  exit 77
fi
text=$output.text
prepare() { python3 "$root/recipes/word-align/prepare.py" "$source" "$target" "$@"; }
mkdir -p "$text"
if [ ! -f "$output/config.json" ]; then
  prepare "$step" "$data/$corpus/train" "$text/train"
  prepare 1 "$data/$corpus/valid" "$text/valid"
  # shellcheck disable=SC2086  # YONA_FLAGS holds several words
  "$root/build/yona" train --preset tiny --src-lang "$source" --tgt-lang "$target" --output "$output" \
    --train-src "$text/train.$source" --train-tgt "$text/train.$target" \
    --valid-src "$text/valid.$source" --valid-tgt "$text/valid.$target" \
    --set data.vocabulary_size=8000 --set train.batch_tokens=4096 --set train.updates=10000 --set model.norm=pre --set model.dropout=0.1 \
    --set train.schedule=cosine --set train.learning_rate=0.003 --set train.warmup=800 \
    --set train.valid_every=1000 --set train.save_every=1000 ${YONA_FLAGS:-}
fi
prepare 0 "$data/word-align/$gold" "$text/gold"
"$root/build/yona" attention --model "$output" --input "$text/gold.$source" --target-input "$text/gold.$target" \
  --align-error "$data/word-align/$gold.$source-$target.align.xz" --gold-base "$base"
