#!/usr/bin/env bash
# SST-2, sentences of film reviews as positive or negative, from nothing but its files: trains a small
# encoder and scores the test part.
#
#   YONA_DATA=/path/to/data recipes/sst-2/run.sh [--pretrain|--pretrain-small] [--seed N] [OUTPUT]
#
#   (none)       preset bert-tiny, the mean of all states, hidden tokens and R-Drop
#   --pretrain   preset bert-mini; first a masked language model of wikitext-2 and the longer phrases of SST-2
#                (OUTPUT-lm), which the classifier begins with
#   --pretrain-small
#                the same with preset bert-tiny and a shorter language model: for two CPU cores
#
# On a GPU: YONA_FLAGS="--device cuda --precision bf16", through which any setting of `yona train` goes; on a CPU
# with AVX512-BF16 or AMX: YONA_FLAGS="--precision bf16".
# A run that was stopped goes on when the same command is given again. The data folder holds
# sst-2/train.tsv.xz, dev.tsv.xz and test.tsv.xz, and wikitext-2/train.txt.xz.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
pretrain=no
seed=1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --pretrain) pretrain=yes ;;
    --pretrain-small) pretrain=small ;;
    --seed) seed=$2; shift ;;
    *) echo "recipes/sst-2: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
output=${1:-sst-2-model}
data=${YONA_DATA:-}
if [ ! -f "$data/sst-2/train.tsv.xz" ]; then
  echo "recipes/sst-2: no data at '$data/sst-2'; set YONA_DATA to the folder that holds sst-2/" >&2
  exit 77
fi

# train FOLDER FLAG…: begins a run, or goes on with it.
train() {
  local folder=$1
  shift
  # shellcheck disable=SC2086  # YONA_FLAGS holds several words
  if [ -d "$folder/checkpoints" ]; then
    "$root/build/yona" train --output "$folder" --resume ${YONA_FLAGS:-}
  else
    "$root/build/yona" train --output "$folder" --seed "$seed" "$@" ${YONA_FLAGS:-}
  fi
}

shape=(--set model.norm=pre --set model.text_vector=mean --set data.vocabulary_size=12000)
masks=(--train "$data/wikitext-2/train.txt.xz,$output-phrases.txt" --valid "$data/wikitext-2/valid.txt.xz"
  --set data.masked=0.2)
begin=(--init "$output-lm" --set model.norm=pre --set model.text_vector=mean)
if [ "$pretrain" != no ]; then
  xz -dc "$data/sst-2/train.tsv.xz" | tail -n +2 | cut -f2 | awk 'NF > 7 { print $0 "\n" }' > "$output-phrases.txt"
fi
case $pretrain in
  yes)
    train "$output-lm" --task masked-lm --preset bert-mini "${shape[@]}" "${masks[@]}" --set train.updates=20000 \
      --set train.batch_tokens=16384 --set train.learning_rate=0.001 --set train.warmup=500 \
      --set train.valid_every=5000 --set train.save_every=5000
    start=("${begin[@]}" --set data.hidden=0.15 --set train.learning_rate=0.0003) ;;
  small)
    train "$output-lm" --task masked-lm --preset bert-tiny "${shape[@]}" "${masks[@]}" --set data.max_length=64 \
      --set train.updates=6000 --set train.batch_tokens=4096 --set train.learning_rate=0.002 --set train.warmup=400 \
      --set train.valid_every=3000 --set train.save_every=3000
    start=("${begin[@]}" --set data.hidden=0.2 --set train.learning_rate=0.0005 --set train.batch_tokens=2048) ;;
  no)
    start=(--preset bert-tiny "${shape[@]}" --set data.hidden=0.2 --set train.learning_rate=0.001) ;;
esac
train "$output" --task classification "${start[@]}" --train "$data/sst-2/train.tsv.xz" --valid "$data/sst-2/dev.tsv.xz" \
  --set model.dropout=0.3 --set train.rdrop=2 --set train.updates=1200 --set train.ema=0.995 \
  --set train.valid_metrics=accuracy --set train.best_by=accuracy --set train.valid_every=100 --set train.save_every=100
xz -dc "$data/sst-2/test.tsv.xz" | tail -n +2 > "$output/test.tsv"
cut -f1 "$output/test.tsv" > "$output/test.labels"
cut -f2 "$output/test.tsv" | "$root/build/yona" classify --model "$output" | cut -f1 > "$output/test.found"
"$root/build/yona" score --ref "$output/test.labels" --hyp "$output/test.found" --metrics accuracy,f1,matthews
