#!/usr/bin/env bash
# Multi30k, English to German or French (or any pair of its languages), preset tiny: trains,
# translates test_2016_flickr with beam 4 and scores it.
#
#   YONA_DATA=/path/to/data recipes/multi30k/run.sh [--full | --best] [--seed N] [OUTPUT [SOURCE TARGET]]
#
#   (none)   4,000 updates of 4,096 tokens: 24 minutes on two CPU cores
#   --full   10,200 updates of 8,192 tokens: 0.7 minutes on one H200, about two hours on two cores
#   --best   10,000 updates of 8,192 tokens with R-Drop: 1.3 minutes on one H200
#
# On a GPU: YONA_FLAGS="--device cuda --precision bf16", through which any setting of `yona train` goes.
#
# All but the first end with the last weights, which the learning rate has annealed, and validate only
# there. A run that was stopped goes on when the same command is given again. The data folder holds
# multi30k/train.en.gz, val.en.gz and so on.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
plan=short
seed=1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --full | --best) plan=${1#--} ;;
    --seed) seed=$2; shift ;;
    *) echo "recipes/multi30k: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
output=${1:-multi30k-model}
source=${2:-en}
target=${3:-de}
data=${YONA_DATA:-}/multi30k
if [ ! -f "$data/train.$source.gz" ] || [ ! -f "$data/train.$target.gz" ]; then
  echo "recipes/multi30k: no $source-$target data at '$data'; set YONA_DATA to the folder that holds multi30k/" >&2
  exit 77
fi

# What differs: with little time less dropout learns more; with more time the average reaches further back.
case $plan in
  short)
    settings=(--set train.updates=4000 --set train.batch_tokens=4096 --set train.learning_rate=0.004 --set model.dropout=0.2
      --set train.warmup=600 --set train.ema=0.998 --set train.valid_every=500 --set train.save_every=500) ;;
  *)
    settings=(--set train.batch_tokens=8192 --set train.learning_rate=0.005 --set model.dropout=0.3 --set train.warmup=1000
      --set train.ema=0.999 --set train.valid_every=1000000 --set train.save_every=2000) ;;
esac
case $plan in
  full) settings+=(--set train.updates=10200) ;;
  best) settings+=(--set train.updates=10000 --set train.rdrop=3) ;;
esac
# shellcheck disable=SC2086  # YONA_FLAGS holds several words
if [ -d "$output/checkpoints" ]; then
  "$root/build/yona" train --output "$output" --resume ${YONA_FLAGS:-}
else
  "$root/build/yona" train --preset tiny --output "$output" --seed "$seed" \
    --train-src "$data/train.$source.gz" --train-tgt "$data/train.$target.gz" \
    --valid-src "$data/val.$source.gz" --valid-tgt "$data/val.$target.gz" \
    --src-lang "$source" --tgt-lang "$target" --set data.vocabulary_size=6000 \
    --set model.norm=pre --set train.schedule=cosine "${settings[@]}" ${YONA_FLAGS:-}
fi
test=test_2016_flickr
"$root/build/yona" translate --model "$output" --input "$data/$test.$source.gz" \
  --output "$output/$test.$target" --length-penalty "${LENGTH_PENALTY:-1.4}"
"$root/build/yona" score --ref "$data/$test.$target.gz" --hyp "$output/$test.$target" --metrics bleu,chrf --width 2
