#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-nothing-left sees a process of the tests and a record, and not what others start.
set -eu
check=$SOURCE_ROOT/tools/check-nothing-left
dir=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill $child 2>/dev/null || true; rm -rf "$dir"' EXIT
mkdir "$dir/runtime"
export WEIR_RUNTIME_DIR="$dir/runtime" WEIR_CHECK_RUN="test-$$"

# expect WORDS: that is left, and nothing else.
expect() {
	if out=$("$check" compare "$dir/before"); then
		echo "not seen: $1" >&2
		exit 1
	fi
	case $out in
	"left behind: $1"*) ;;
	*) echo "expected $1, got: $out" >&2; exit 1 ;;
	esac
	[ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ]
}

"$check" note "$dir/before"
"$check" compare "$dir/before"

# of another run
WEIR_CHECK_RUN=other sleep 100 &
child=$!
"$check" compare "$dir/before"
kill $child

sleep 100 &
child=$!
expect "process $child: sleep 100"
kill $child
child=

: >"$dir/runtime/site-100.64.0.0-16"
expect "file $dir/runtime/site-100.64.0.0-16"
rm "$dir/runtime/site-100.64.0.0-16"

# what is on its way out gets its time
sleep 1 &
"$check" compare "$dir/before"
