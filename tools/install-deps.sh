#!/usr/bin/env bash
# Installs the packages of tools/apt-packages.txt that are missing, with apt; silent when none is.
#
#   tools/install-deps.sh            what building, testing and the demo need
#   tools/install-deps.sh --check    what `make check` needs besides
#
# Exit code 2, and one line saying what to do, where it cannot: no apt, or neither root nor sudo.
set -euo pipefail

sets="build"
case "${1:-}" in
  "") ;;
  --check) sets="build check" ;;
  *)
    echo "usage: tools/install-deps.sh [--check]" >&2
    exit 2
    ;;
esac
list="$(dirname "$0")/apt-packages.txt"
wanted=()
while read -r set package; do
  if [[ " $sets " == *" $set "* ]]; then
    wanted+=("$package")
  fi
done < <(grep -v '^#' "$list")

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "this system has no apt. Install the equivalents of these packages yourself:" >&2
  echo "  ${wanted[*]}" >&2
  echo "then run make with DEPS=no, which leaves this step out." >&2
  exit 2
fi

missing=()
for package in "${wanted[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
    missing+=("$package")
  fi
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  # Without a terminal no password can be typed: only a sudo without password works.
  if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
    echo "missing packages: ${missing[*]}" >&2
    echo "they need root: run \`apt-get install ${missing[*]}\` as root, then this again." >&2
    exit 2
  fi
  as_root=(sudo)
fi

echo "installing with apt${as_root:+ (through sudo)}, roughly 1 to 3 minutes: ${missing[*]}" >&2
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >>"$log" 2>&1
}
apt update || true  # one foreign source that does not answer is no reason to stop
if ! apt install -y --no-install-recommends "${missing[@]}"; then
  cat "$log" >&2
  echo "apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
