#!/bin/sh
# SPDX-License-Identifier: MIT
# `weir trace` as a user meets it: what goes where, exit codes, files written whole or not at all.
set -eu
weir=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# expect CODE WORDS ARGUMENT...: exit code, words on stderr, nothing on stdout.
expect() {
	code=$1 words=$2
	shift 2
	got=0
	"$weir" "$@" >out 2>err || got=$?
	if [ $got -ne "$code" ] || ! grep -qF -e "$words" err || [ -s out ]; then
		echo "weir $*: exit $got instead of $code, said:" >&2
		cat err out >&2
		exit 1
	fi
}

# describe: the document of the design, numbers worked out by hand
printf '10\n11\n12\n500\n1000\n' >small
"$weir" trace describe --json small 2>err | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert list(d) == ["schema", "file", "period_ms", "opportunities", "mean_bps", "max_bps", "longest_outage_ms"], d
assert d == {"schema": "weir.trace/1", "file": "small", "period_ms": 1000, "opportunities": 5,
    "mean_bps": 60000, "max_bps": 360000, "longest_outage_ms": 500}, d
'
# A16: too slow to be of use is said, and is no error
grep -q 'warning: mean rate 60 kbit/s, below 200 kbit/s' err
"$weir" trace describe small 2>/dev/null | grep -q 'as in mahimahi'

# check: every mistake at once, with line and column, the line and a caret; other files are still looked at
printf '5\n4\n\n0x7\n' >bad
expect 2 'bad:2:1: 4 ms after 5 ms' trace check bad
grep -q '^bad:3:1: a blank line' err
grep -q '^bad:4:2: unexpected' err
got=0
"$weir" trace check bad small >out 2>err || got=$?
[ $got -eq 2 ] && grep -q '^small: ok, 5 opportunities in 1 s' out
got=0
"$weir" trace check --json bad small 2>/dev/null >out || got=$?
[ $got -eq 2 ]
python3 -c '
import json
d = json.load(open("out"))
assert d["schema"] == "weir.trace-check/1" and [f["ok"] for f in d["files"]] == [False, True], d
assert [(m["line"], m["column"]) for m in d["files"][0]["mistakes"]] == [(2, 1), (3, 1), (4, 2)], d
'
: >empty # A1
expect 2 'empty: the trace is empty' trace describe empty
printf '0\n0\n' >zeros # A4
expect 2 'weir trace make cbr' trace check zeros
expect 2 'cannot open' trace check no-such-file

# convert: --sort repairs; nothing is written for bad input; there and back again
expect 2 'must not go back' trace convert bad -o repaired
[ ! -e repaired ]
printf '5\n4\n6\n' >unsorted
"$weir" trace convert --sort --to mahimahi unsorted -o sorted
[ "$(cat sorted)" = "$(printf '4\n5\n6')" ]
"$weir" trace make lte --mean '6 Mbit/s' --duration 20s --seed 4 -o made
"$weir" trace convert --to csv --bin 50ms made | "$weir" trace convert - | "$weir" trace describe --json - >back
"$weir" trace describe --json made >there
python3 -c '
import json
a, b = json.load(open("there")), json.load(open("back"))
assert a["period_ms"] == b["period_ms"] == 20000 and a["opportunities"] == b["opportunities"] == 10000, (a, b)
'
# the period that mahimahi cannot say
"$weir" trace convert --to mahimahi --period 2s small -o plain 2>err
grep -q 'the period becomes the last timestamp, 1000 ms, instead of 2000 ms' err
[ "$(cat plain)" = "$(cat small)" ]

# make: the same seed, the same bytes; another seed, other bytes
"$weir" trace make lte --mean '6 Mbit/s' --duration 20s --seed 4 | cmp - made
if "$weir" trace make lte --mean '6 Mbit/s' --duration 20s --seed 5 | cmp -s - made; then
	exit 1 # another seed, another trace
fi
"$weir" trace make cbr --rate '17 Mbit/s' --duration 6s | "$weir" trace describe - | grep -q 'mean rate       17 Mbit/s'
expect 2 'did you mean --mean?' trace make lte --maen 3
# all mistakes of the arguments at once
expect 2 'not lte or cbr' trace make foo --to x --duration 5 --rate 0
grep -q -e '--to x' err && grep -q -e '--duration: 5 has no unit' err && grep -q -e '--rate must be above 0' err
expect 2 'belong to lte' trace make cbr --seed 3
expect 2 'more than 16777216 opportunities' trace make cbr --rate '1 Tbit/s' --duration 1h

# a full disk and an unwritable place are errors; a device is written to, not replaced
expect 1 'No space left on device' trace make lte -o /dev/full
[ -c /dev/full ]
expect 1 'cannot write' trace make lte -o no-such-folder/x
got=0
"$weir" trace make lte >/dev/full 2>err || got=$?
[ $got -eq 1 ] && grep -q 'No space left' err
[ -z "$(ls -A | grep '\.[A-Za-z0-9]\{6\}$' || true)" ]
