#!/bin/sh
# Runs the tests that use a GPU, and with --bench a few training steps, from a build tree or from a
# bundle of one (tools/gpu-bundle.sh). Needs a GPU and libyona_cuda.so beside the programs.
#   tools/gpu-tests.sh [--bench] [BUILD]       BUILD is build-cuda by default
set -u
bench=no
if [ "${1:-}" = --bench ]; then
  bench=yes
  shift
fi
build=${1:-build-cuda}
[ -d "$build" ] || { echo "gpu-tests: $build is not a folder; build first: cmake --preset cuda" >&2; exit 2; }
build=$(cd "$build" && pwd)
YONA_TEST_CUDA=1
LD_LIBRARY_PATH=$build:$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export YONA_TEST_CUDA LD_LIBRARY_PATH

if [ -d "$build/families" ]; then  # of a bundle
  YONA_FAMILIES=$build/families
  export YONA_FAMILIES
fi

failed=0
run() {  # program, which of its tests
  path=$build/tests/$1
  [ -x "$path" ] || path=$build/$1
  if [ ! -x "$path" ]; then
    echo "gpu-tests: $1 is not built" >&2
    failed=1
    return
  fi
  echo "== $1"
  "$path" --gtest_brief=1 --gtest_filter="$2" || failed=1
}
run test_backend_cuda '*'
run test_tensor_ops '*'
run test_decode '*Families*:ResidentDecoder*'

if [ $bench = yes ]; then
  echo "== yona info --devices"
  "$build/yona" info --devices || failed=1
  for precision in f32 bf16; do
    for shape in "tiny --vocab-size 8000 --tokens 4096 --ragged" "base --tokens 25000"; do
      echo "== yona bench train --device cuda --precision $precision --preset $shape"
      # shellcheck disable=SC2086 # the shape is several words
      "$build/yona" bench train --device cuda --precision "$precision" --preset $shape --profile || failed=1
      # shellcheck disable=SC2086
      "$build/yona" bench train --device cuda --precision "$precision" --preset $shape || failed=1
    done
  done
fi
exit $failed
