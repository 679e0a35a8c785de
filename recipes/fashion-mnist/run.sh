#!/usr/bin/env bash
# Fashion-MNIST, 28 × 28 pixels in ten classes, with a Vision Transformer of under a million parameters:
# trains on all 60,000 pictures and scores the test part.
#
#   YONA_DATA=/path/to/data recipes/fashion-mnist/run.sh [--full] [--seed N] [OUTPUT]
#
#   (none)   35,000 updates of 128 pictures, 3 × 3 overlapping patches of 12 pixels: for two CPU cores
#   --full   40,000 updates of 256 pictures, overlapping patches, random erasing, RandAugment: for a GPU
#
# On a GPU: YONA_FLAGS="--device cuda --precision bf16", through which any setting of `yona train` goes; on a CPU
# with AVX512-BF16 or AMX: YONA_FLAGS="--precision bf16".
# Both end with the last weights, which the learning rate has annealed: the test part does not select them. A run
# that was stopped goes on when the same command is given again. The data folder holds
# fashion-mnist/train-images-idx3-ubyte.xz and so on.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
plan=short
seed=1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --full) plan=full ;;
    --seed) seed=$2; shift ;;
    *) echo "recipes/fashion-mnist: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
output=${1:-fashion-mnist-model}
data=${YONA_DATA:-}/fashion-mnist
if [ ! -f "$data/train-images-idx3-ubyte.xz" ]; then
  echo "recipes/fashion-mnist: no data at '$data'; set YONA_DATA to the folder that holds fashion-mnist/" >&2
  exit 77
fi

settings=(--preset vit-tiny --set data.crop_padding=2 --set data.mirror=0.5 --set model.image_vector=mean
  --set train.schedule=cosine)
case $plan in
  short)
    settings+=(--set model.patch=12 --set model.stride=8 --set train.updates=35000 --set train.batch_tokens=1152
      --set train.learning_rate=0.003 --set train.warmup=1000 --set train.beta2=0.98 --set train.ema=0.999) ;;
  full)
    settings+=(--set model.patch=8 --set model.stride=4 --set train.updates=40000 --set train.batch_tokens=9216
      --set train.learning_rate=0.002 --set train.warmup=1000 --set data.erase=0.25 --set data.rand_augment=1
      --set data.rand_augment_magnitude=5 --set model.dropout=0.1 --set train.ema=0.998) ;;
esac
# shellcheck disable=SC2086  # YONA_FLAGS holds several words
if [ -d "$output/checkpoints" ]; then
  "$root/build/yona" train --output "$output" --resume ${YONA_FLAGS:-}
else
  "$root/build/yona" train --task image-classification --output "$output" --seed "$seed" \
    --train "$data/train-images-idx3-ubyte.xz" "${settings[@]}" ${YONA_FLAGS:-}
fi
"$root/build/yona" classify --model "$output" --image "$data/t10k-images-idx3-ubyte.xz" | cut -f2 > "$output/test.found"
xz -dc "$data/t10k-labels-idx1-ubyte.xz" | tail -c +9 | od -An -v -tu1 -w1 | tr -d ' ' > "$output/test.labels"
"$root/build/yona" score --ref "$output/test.labels" --hyp "$output/test.found" --metrics accuracy
