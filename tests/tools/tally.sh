#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/tally counts every kind of result, names failures and skips, and cannot be green without a test.
set -eu
tally=$SOURCE_ROOT/tools/tally
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

printf '%s\n' '{"name": "a", "result": "OK"}' '{"name": "b", "result": "SKIP", "stdout": "needs /dev/net/tun\n"}' >log.json
printf '%s\n' 'pass rooms' 'pass units' >checks
[ "$("$tally" log.json checks | tail -n 1)" = '3 passed, 0 failed, 1 skipped' ]
"$tally" log.json | grep -q 'skipped: b: needs /dev/net/tun'

for result in FAIL TIMEOUT ERROR UNEXPECTEDPASS INTERRUPT; do
	echo "{\"name\": \"c\", \"result\": \"$result\"}" >bad.json
	if out=$("$tally" log.json bad.json); then exit 1; fi
	[ "$(printf '%s\n' "$out" | tail -n 1)" = '1 passed, 1 failed, 1 skipped' ]
	printf '%s\n' "$out" | grep -q '^FAILED: c: '
done
: >empty.json
echo '{"name": "half' >half.json
for bad in missing.json empty.json half.json; do
	if "$tally" $bad >/dev/null; then exit 1; fi
done
if "$tally" checks half.json >/dev/null; then exit 1; fi

# A second run counts in place of what did not pass, of nothing else; without one that stands.
printf '%s\n' '{"name": "a", "result": "OK"}' '{"name": "b", "result": "FAIL"}' '{"name": "c", "result": "FAIL"}' >two.json
[ "$("$tally" --not-passed two.json)" = "$(printf 'b\nc')" ]
printf '%s\n' '{"name": "b", "result": "OK"}' '{"name": "c", "result": "FAIL"}' >two-again.json
if out=$("$tally" two.json two-again.json checks); then exit 1; fi
[ "$(printf '%s\n' "$out" | tail -n 1)" = '4 passed, 1 failed, 0 skipped' ]
printf '%s\n' "$out" | grep -q '^run again: b: pass'
: >two-again.json
if out=$("$tally" two.json two-again.json); then exit 1; fi
[ "$(printf '%s\n' "$out" | tail -n 1)" = '1 passed, 2 failed, 0 skipped' ]

# A test that was skipped beside others and passes alone has passed.
printf '%s\n' '{"name": "a", "result": "SKIP", "stdout": "busy\n"}' >three.json
echo '{"name": "a", "result": "OK"}' >three-again.json
[ "$("$tally" --not-passed three.json)" = a ]
[ "$("$tally" three.json three-again.json | tail -n 1)" = '1 passed, 0 failed, 0 skipped' ]
