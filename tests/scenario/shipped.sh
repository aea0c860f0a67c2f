#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shipped scenario runs and leaves complete results.
set -eu
weir=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for file in "$SOURCE_ROOT"/scenarios/*.yaml; do
	"$weir" run "$file" -o "$out/result" >"$out/said" 2>&1 || {
		echo "$file: exit $?"
		cat "$out/said"
		exit 1
	}
	for part in summary.json series.csv manifest.json report.html; do
		[ -s "$out/result/$part" ] || { echo "$file: no $part"; exit 1; }
	done
	rm -rf "$out/result"
done
