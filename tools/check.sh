#!/usr/bin/env bash
# `make check`: everything CI asks beyond `make test`. Runs all the parts, or those named, and says at
# the end which failed.
#   tools/check.sh [format|tidy|asan|fuzz|tsan|cuda|install|untested]…
#
#   TIDY=changed    clang-tidy only for what changed since the last commit of the remote branch main;
#                   for nothing where there is none, or nothing changed. Default: everything
#
# asan and fuzz share one tree. The sanitizer trees are built by clang with warnings as errors; build/
# is taken as `make test` leaves it.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs="${JOBS:-$(nproc)}"
all_parts=(format untested tidy install cuda asan fuzz tsan)

# The tree is formatted by this version; others disagree in details and are not asked.
format_version=14

format() {
  local version
  version="$(clang-format --version | sed -E 's/.*version ([0-9]+).*/\1/')"
  if [[ $version != "$format_version" ]]; then
    echo "skipped: clang-format is version $version, the tree is formatted by $format_version"
    return 0
  fi
  git ls-files '*.h' '*.cc' '*.cu' '*.cuh' | xargs -r clang-format --dry-run -Werror
}

release_tree() {
  make --no-print-directory DEPS=no configure
}

clang_tree() {  # preset, options
  CXX=clang++ cmake --preset "$@" -DYONA_WERROR=ON >/dev/null &&
    cmake --build --preset "$1" -j "$jobs"
}

tidy() {
  # A tree that is never built: only there are sources compiled one by one, as clang-tidy needs them.
  local base="" since=()
  if [[ ${TIDY:-all} == changed ]]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null)
    if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
      echo "skipped: no change from a branch origin/main; \`make tidy\` looks at everything"
      return 0
    fi
    since=(--since "$base")
  fi
  cmake --preset release -B build-tidy -DYONA_UNITY=OFF ${CI:+-DYONA_WERROR=ON} >/dev/null &&
    tools/tidy.py "${since[@]}" build-tidy
}

asan() {
  clang_tree asan -DYONA_FUZZ=ON && ctest --preset asan
}

fuzz() {
  clang_tree asan -DYONA_FUZZ=ON && tools/fuzz.sh build-asan 60
}

tsan() {
  clang_tree tsan && ctest --preset tsan
}

cuda() {
  if ! command -v nvcc >/dev/null && [[ ! -x /usr/local/cuda/bin/nvcc ]]; then
    echo "skipped: no CUDA compiler (nvcc) here"
  elif ! compgen -G 'yona/backend/cuda/*.cu' >/dev/null; then
    echo "skipped: no CUDA sources"
  else
    release_tree && cmake --build build -j "$jobs" --target libyona_cuda && ring_copies
  fi
}

ring_copies() {  # as yona/backend/cuda/norm/row_ring.cuh says, ptxas can write wrong ones
  local object=build/CMakeFiles/libyona_cuda.dir/yona/backend/cuda/residual_norm_backward.cu.o
  local code wrong
  if ! command -v cuobjdump >/dev/null; then
    echo "copies of row_ring.cuh not looked at: no cuobjdump here"
    return 0
  fi
  code=$(cuobjdump -sass "$object") && [[ $code == *LDGSTS* ]] ||
    { echo "no copies (LDGSTS) found in $object"; return 1; }
  wrong=$(grep -c 'LDGSTS.*+UR' <<<"$code")
  ((wrong == 0)) || { echo "$object: $wrong copies whose address has a uniform register (LDGSTS [R+UR], see row_ring.cuh)"; return 1; }
}

install() {
  release_tree && cmake --build build -j "$jobs" && ctest --preset release -R '^install_test$'
}

untested() {
  tools/untested.sh
}

if (($# == 0)); then
  set -- "${all_parts[@]}"
fi
for part in "$@"; do
  if [[ " ${all_parts[*]} " != *" $part "* ]]; then
    echo "check: no part named $part; there are: ${all_parts[*]}" >&2
    exit 2
  fi
done
failed=()
for part in "$@"; do
  echo "── $part"
  SECONDS=0
  if "$part"; then
    echo "── $part: fine, $SECONDS s"
  else
    echo "── $part: FAILED, $SECONDS s"
    failed+=("$part")
  fi
done
if ((${#failed[@]})); then
  echo "check: failed: ${failed[*]}"
  exit 1
fi
echo "check: all fine"
