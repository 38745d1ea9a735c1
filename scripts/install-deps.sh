#!/usr/bin/env bash
# Installs the Debian packages Weft is built with; says nothing when all are there.
#   scripts/install-deps.sh         what the build and the tests need
#   scripts/install-deps.sh --all   also clang 19 for analysis, sanitizers and fuzzing
set -euo pipefail

packages=(
  build-essential cmake ninja-build git ccache pkg-config
  libfmt-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libexpected-dev librandom123-dev libabsl-dev libtbb-dev
  libboost-dev libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
)
# Folders with further needs list them in src/weft/<folder>/packages.txt, one a line.
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
for list in "$here"/src/weft/*/packages.txt; do
  [[ -e "$list" ]] && mapfile -t -O "${#packages[@]}" packages < <(grep -v '^ *\(#\|$\)' "$list")
done
if [[ "${1:-}" == --all ]]; then
  packages+=(clang-19 clang-tidy-19 clang-tools-19 clang-format-19 libclang-rt-19-dev)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "need root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
