#!/usr/bin/env bash
# Runs the tests of the CUDA backend on a machine without a GPU: its kernels are compiled for the
# host (tools/cuda_on_host), where a thread is a fibre, into a libyona_cuda.so of their own. That
# checks what they compute, barriers, launches and graphs; products are plain loops instead of
# cuBLASLt, and nothing is said about speed. Needs the CUDA toolkit's headers.
#   tools/cuda-on-host.sh [--races] [BUILD] [TEST PROGRAM [OPTIONS...]]
# BUILD is build by default and holds the programs; without a program all that use a GPU are run.
# The GPU is a Hopper, or with CUDA_ON_HOST_CAPABILITY=80 an Ampere, whose kernels some calls have.
# CUDA_ON_HOST_PINNED=BYTES: larger arrays cannot be pinned.
# --races: with the thread sanitizer, which finds accesses to memory that no barrier keeps apart.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
flags=(-O1 -g1)
kind=plain
if [[ ${1:-} == --races ]]; then
  flags+=(-fsanitize=thread)
  kind=races
  shift
fi
build=$(cd "${1:-$root/build}" && pwd)
(($# == 0)) || shift
cuda=${CUDA_HOME:-/usr/local/cuda}
[[ -e $cuda/include/cuda_runtime.h ]] || { echo "cuda-on-host: no CUDA headers in $cuda/include; set CUDA_HOME" >&2; exit 2; }
[[ -e $build/libyona.so ]] || { echo "cuda-on-host: $build holds no libyona.so; build first" >&2; exit 2; }

work=$build/cuda_on_host/$kind
"$root/tools/cuda_on_host/convert.py" "$root/yona/backend/cuda" "$work/yona/backend/cuda"
ln -sfn "$root/tools" "$work/tools"
mkdir -p "$work/objects"
definitions=(-DNDEBUG -DFMT_SHARED -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -DSPDLOG_SHARED_LIB)
# Kernels read one type as another, as CUDA lets them.
compile=("${CXX:-g++}" -std=c++20 -fPIC -fno-strict-aliasing -w "${definitions[@]}" -I"$work" -I"$root" -I"$cuda/include")
{
  echo "flags = ${flags[*]}"
  echo "compile = ${compile[*]}"
  echo "rule device"
  echo "  command = \$compile \$flags -include tools/cuda_on_host/device_code.h -MD -MF \$out.d -c \$in -o \$out"
  echo "  depfile = \$out.d"
  echo "rule host"  # the fibres themselves are not watched
  echo "  command = \$compile -O2 -MD -MF \$out.d -c \$in -o \$out"
  echo "  depfile = \$out.d"
  echo "rule link"
  echo "  command = ${CXX:-g++} -shared \$flags -o \$out \$in -L$build -lyona -lfmt -lspdlog"
  objects=()
  for source in "$work"/yona/backend/cuda/*.cc "$work"/yona/backend/cuda/*/*.cc "$root"/tools/cuda_on_host/*.cc; do
    object=objects/$(basename "$(dirname "$source")")_$(basename "$source").o
    rule=device
    [[ $source == */cuda_on_host/grid.cc || $source == */cuda_on_host/runtime.cc ]] && rule=host
    echo "build $object: $rule $source"
    objects+=("$object")
  done
  echo "build libyona_cuda.so: link ${objects[*]}"
} > "$work/build.ninja"
ninja -C "$work" --quiet -k 0 -j "${JOBS:-$(nproc)}"

export YONA_TEST_CUDA=1 LD_LIBRARY_PATH=$work:$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if [[ $kind == races ]]; then
  LD_PRELOAD=$("${CXX:-g++}" -print-file-name=libtsan.so)
  export LD_PRELOAD TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=0:report_thread_leaks=0:exitcode=66}
fi
if (($# > 0)); then
  exec "$build/tests/$1" "${@:2}"
fi
failed=0
run() {  # program, which of its tests
  echo "== $1"
  "$build/tests/$1" --gtest_brief=1 --gtest_filter="$2" || failed=1
}
run test_backend '*'
run test_backend_cuda '-CudaOwnLinear.*'  # thousands of rows, for a kernel that is not there
run test_tensor_ops '*'
run test_decode '*Families*:ResidentDecoder*'
exit $failed
