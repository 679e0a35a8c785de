#!/bin/sh
# Packs the programs that tools/gpu-tests.sh runs with the libraries they need, for a machine that
# has a GPU and a driver but not yona's dependencies. CUDA and the C++ runtime stay out.
#   tools/gpu-bundle.sh BUILD FILE.tar.xz
set -eu
[ $# -eq 2 ] || { echo "usage: tools/gpu-bundle.sh BUILD FILE.tar.xz" >&2; exit 2; }
build=$1
case $2 in /*) archive=$2 ;; *) archive=$PWD/$2 ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/lib"

for file in yona libyona_cuda.so libyona_cudnn.so libyona_mpi.so libyona_nccl.so tests/test_backend_cuda tests/test_tensor_ops tests/test_decode bench/ops/bench_ops; do
  if [ -e "$build/$file" ]; then
    cp "$build/$file" "$folder/"
    ldd "$build/$file" | awk '$3 ~ /^\// { print $3 }' >> "$folder/libraries"
  else
    echo "gpu-bundle: $build/$file is not built: left out" >&2
  fi
done
cp "$(dirname "$0")/gpu-tests.sh" "$folder/"
cp -r "$(dirname "$0")/../tests/fixtures/families" "$folder/"
system='/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*|libcublasLt|libcudart|libcudnn|libnccl|libmpi|libopen-rte|libopen-pal)\.so'
sort -u "$folder/libraries" | grep -v -E "$system" | while read -r library; do
  cp -L "$library" "$folder/lib/"
done
rm "$folder/libraries"
strip --strip-unneeded "$folder"/lib/* "$folder"/test_* 2>/dev/null || true
(cd "$folder" && tar -c ./* | xz -T2 -6 > "$archive")
ls -l "$archive"
