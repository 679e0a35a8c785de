#!/usr/bin/env bash
# Constituency parsing (paper, §6.3) on the treebank sample: trains, parses the test part with beam 21
# and a length penalty of 0.3, and scores it as EVALB does.
#
#   YONA_DATA=/path/to/data recipes/parsing/run.sh [--paper] [--seed N] [OUTPUT]
#
#   (none)    preset small (4+4 layers, d_model 256) with BPE-dropout and substituted constituents
#   --paper   the paper's settings as far as they go: preset tiny, post-norm, placeholders for words
#
# On a GPU: YONA_FLAGS="--device cuda --precision bf16", through which any setting of `yona train` goes.
# A run that was stopped goes on when the same command is given again. The data folder holds
# treebank-sample/train.mrg.xz, valid.mrg.xz and test.mrg.xz.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
plan=best
seed=1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --paper) plan=paper ;;
    --seed) seed=$2; shift ;;
    *) echo "recipes/parsing: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
output=${1:-parser}
data=${YONA_DATA:-}/treebank-sample
if [ ! -f "$data/train.mrg.xz" ]; then
  echo "recipes/parsing: no treebank at '$data'; set YONA_DATA to the folder that holds treebank-sample/" >&2
  exit 77
fi

case $plan in
  best)
    settings=(--preset small --set model.norm=pre --set train.updates=18000 --set train.schedule=cosine
      --set train.learning_rate=0.0015 --set train.warmup=400 --set train.ema=0.999
      --set data.sampling=0.1 --set data.substitution=0.5
      --set train.valid_every=2000 --set train.save_every=2000) ;;
  paper)
    settings=(--preset tiny --set data.leaves=placeholders --set train.updates=8000 --set train.warmup=2000
      --set train.valid_every=1000 --set train.save_every=1000) ;;
esac
# shellcheck disable=SC2086  # YONA_FLAGS holds several words
if [ -d "$output/checkpoints" ]; then
  "$root/build/yona" train --output "$output" --resume ${YONA_FLAGS:-}
else
  "$root/build/yona" train --task parsing --output "$output" --seed "$seed" \
    --train "$data/train.mrg.xz" --valid "$data/valid.mrg.xz" "${settings[@]}" ${YONA_FLAGS:-}
fi
# The sentences of the test part: the leaves of its trees, without traces.
xz -dc "$data/test.mrg.xz" > "$output/test.mrg"
python3 "$root/recipes/parsing/words.py" < "$output/test.mrg" > "$output/test.txt"
"$root/build/yona" parse --model "$output" --tokenized --input "$output/test.txt" --beam 21 --length-penalty 0.3 \
  --output "$output/test.trees"
"$root/build/yona" score --metrics brackets --ref "$output/test.mrg" --hyp "$output/test.trees"
