#!/usr/bin/env bash
# Europarl, English to German, preset base, pre-norm, in 1.4 minutes of training on one H200: trains in
# bf16 with a cosine schedule, then translates the validation set greedily and
# with beam 4 and scores it.
#
#   YONA_DATA=/path/to/data recipes/europarl/run.sh [--seed N] [OUTPUT]
#
# The data folder holds europarl-en-de/. Sub-words and the token cache are made first, in OUTPUT.text;
# they are kept for the next run. Extra settings for `yona train` go through YONA_FLAGS.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
seed=1
if [ "${1:-}" = --seed ]; then
  seed=$2
  shift 2
fi
output=${1:-europarl-model}
data=${YONA_DATA:-}/europarl-en-de
if [ ! -f "$data/train.en.xz" ]; then
  echo "recipes/europarl: no data at '$data'; set YONA_DATA to the folder that holds europarl-en-de/" >&2
  exit 77
fi
text=$output.text
train=(--train-src "$data/train.en.xz" --train-tgt "$data/train.de.xz")
if [ ! -f "$text/source.spm" ]; then
  "$root/build/yona" vocab "${train[@]}" --vocab-size 16000 --max-lines 200000 --output "$text"
fi
if [ -d "$output/checkpoints" ]; then
  "$root/build/yona" train --output "$output" --resume --device cuda
else
  # shellcheck disable=SC2086  # YONA_FLAGS holds several words
  "$root/build/yona" train --preset base --device cuda --set train.precision=bf16 --output "$output" --seed "$seed" \
    "${train[@]}" --valid-src "$data/valid.en.xz" --valid-tgt "$data/valid.de.xz" --src-lang en --tgt-lang de \
    --set data.source_model="$text/source.spm" --set data.cache="$text" \
    --set train.batch_tokens=12500 --set train.updates=8400 --set model.norm=pre --set model.dropout=0.1 \
    --set train.schedule=cosine --set train.learning_rate=0.001 --set train.warmup=800 --set train.ema=0.998 \
    --set train.valid_every=1000000 --set train.save_every=1000000 ${YONA_FLAGS:-}
fi
for beam in 1 4; do
  "$root/build/yona" translate --device cuda --model "$output" --input "$data/valid.en.xz" \
    --output "$output/valid.beam$beam.de" --beam "$beam"
  "$root/build/yona" score --ref "$data/valid.de.xz" --hyp "$output/valid.beam$beam.de" --width 2
done
