#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows docs/add-a-controller.md to the letter: its header, its command; then what goes wrong.
set -eu
weir=$1
scenario=$SOURCE_ROOT/scenarios/two-cubic.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tmp
export TMPDIR="$work/tmp"

fail() {
	echo "add-a-controller: $*" >&2
	exit 1
}

awk '/^```$/ { in_code = 0 } in_code { print } /^```c$/ { in_code = 1 }' "$SOURCE_ROOT/docs/add-a-controller.md" >mine.h
grep -q '^WEIR_CONTROLLER(mine' mine.h || fail "no controller in the document"

"$weir" run "$scenario" --controller ./mine.h --controller cubic --set duration=5s -o out >text 2>errors ||
	fail "the document's command fails: $(cat errors)"
grep -q warning errors && fail "warnings: $(cat errors)"
[ -s out/report.html ] || fail "no report"
[ -z "$(ls -A tmp)" ] || fail "temporary files are left: $(ls tmp)"

"$weir" run "$scenario" --controller mine.h --set duration=5s --json >run.json 2>errors || fail "$(cat errors)"
python3 - run.json <<'PYTHON' || fail "the summary is not as expected"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["schema"] == "weir.summary/1", run["schema"]
assert [f["controller"] for f in run["flows"]] == ["mine", "mine"], run["flows"]
assert all(f["goodput_bps"] > 1e6 for f in run["flows"]), run["flows"]
assert sum(f["goodput_bps"] for f in run["flows"]) > .5 * 48e6, run["flows"]
assert all(f["signals"]["acked_bytes"]["mean"] > 0 for f in run["flows"]), run["flows"]
PYTHON

sed 's/s->acked_bytes = 0;/s->acked_bytes = nothing;/' mine.h >broken.h
line=$(grep -n nothing broken.h | head -1 | cut -d: -f1)
status=0
"$weir" run "$scenario" --controller ./broken.h -o bad >text 2>errors || status=$?
[ $status -eq 2 ] || fail "a broken header exits $status, not 2"
grep -q "broken.h:$line:" errors || fail "line $line is not named: $(cat errors)"
[ ! -e bad ] || fail "a broken header leaves a directory"

status=0
CC=no-such-compiler "$weir" run "$scenario" --controller ./mine.h -o bad >text 2>errors || status=$?
[ $status -eq 3 ] || fail "without a compiler it exits $status, not 3"
grep -q no-such-compiler errors || fail "the missing compiler is not named"

for example in "$SOURCE_ROOT"/examples/*.h; do
	"$weir" run "$scenario" --controller "$example" --set duration=2s -o out >text 2>errors || fail "$example: $(cat errors)"
done
[ -z "$(ls -A tmp)" ] || fail "temporary files are left: $(ls tmp)"
