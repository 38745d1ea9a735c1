#!/usr/bin/env bash
# Whole commands: wall seconds, CPU seconds and peak memory of each, the best of three runs. Needs GNU time (package `time`).
#   bench/commands.sh [path of weft]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
weft="${1:-$here/build/weft}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

one_switch() {  # a machine of N sites on one switch
  cat >"$scratch/switch-$1.yaml" <<YAML
weft: machine/1
name: switch-$1
about: $1 sites on one switch
machine:
  name: rack
  fabric: {name: port, kind: switch, hub: switch, link: {bandwidth: 50 GB/s, latency: 500 ns, source: example}}
  children:
    - count: $1
      component:
        name: site
        memory: [{name: hbm, capacity: 80 GB, bandwidth: 3 TB/s, source: example}]
        rates: {vector: {bf16: 100 TFLOP/s, source: example}}
        kernels: {any: {model: roofline, compute_efficiency: 1, memory_efficiency: 1, floor: 0 us, source: example}}
execution: {launch: 0 us, barrier: 0 us, overlap: true, source: example}
YAML
}

measure() {
  local best="" line
  for _ in 1 2 3; do
    /usr/bin/time -f '%e %U %M' -o "$scratch/time" "$weft" "$@" --json >/dev/null 2>&1 || { echo "failed: weft $*" >&2; return 1; }
    line="$(tail -n 1 "$scratch/time")"
    if [[ -z "$best" ]] || awk -v a="${line%% *}" -v b="${best%% *}" 'BEGIN{exit !(a<b)}'; then best="$line"; fi
  done
  awk -v c="$*" '{printf "%8.2f s %8.2f s %8.0f MB   weft %s\n", $1, $2, $3 / 1024, c}' <<<"$best"
}

one_switch 256
one_switch 1024
printf '%10s %10s %11s\n' wall cpu memory
measure run mixtral-8x7b dgx-h100 --phase decode --batch 64 --seq 2048 --layout tp=1,ep=8,pp=1,dp=1
measure run mixtral-8x22b 'dgx-h100*4' --phase decode --batch 256 --seq 4096 --layout tp=4,ep=8,pp=1,dp=1
measure collective all-reduce 'dgx-h100*128' --size 64MiB --algorithm ring --ranks 256
for n in 16 32 64 128; do
  measure collective all-to-all "dgx-h100*$n" --size 64MiB --algorithm pairwise
done
measure collective all-to-all 'dgx-h100*128' --size 64MiB --algorithm spread-out
measure collective all-to-all "$scratch/switch-256.yaml" --size 1MiB --algorithm spread-out
measure collective all-to-all "$scratch/switch-1024.yaml" --size 1MiB --algorithm spread-out
measure machine show wse2
