#!/bin/sh
# SPDX-License-Identifier: MIT
# The program as a whole: streams, exit codes, what is absent.
set -eu
weir=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect CODE WORDS ARGUMENT...: exit code, words on stderr, nothing on stdout.
expect() {
	code=$1 words=$2
	shift 2
	got=0
	"$weir" "$@" >"$dir/out" 2>"$dir/err" || got=$?
	if [ $got -ne "$code" ] || ! grep -qF -e "$words" "$dir/err" || [ -s "$dir/out" ]; then
		echo "weir $*: exit $got instead of $code, said:" >&2
		cat "$dir/err" "$dir/out" >&2
		exit 1
	fi
}
expect 2 'which verb?'
expect 2 'did you mean doctor?' doctr
for verb in send recv probe sweep; do
	expect 2 "$verb is not built yet" $verb --help
	if "$weir" --help | grep -q "^  $verb "; then
		echo "$verb is in the help" >&2
		exit 1
	fi
done
expect 2 'did you mean --json?' doctor --jsn
expect 2 'usage: weir doctor' doctor --jsn
expect 2 'is one operand too many' doctor now

[ "$("$weir" --version)" = "weir $(cat "$SOURCE_ROOT/VERSION")" ]
# Every verb of the help has a help of its own, at most 120 columns wide.
verbs=$("$weir" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$verbs" ]
for verb in $verbs; do
	"$weir" $verb --help >"$dir/help"
	grep -q "^usage: weir $verb" "$dir/help"
	grep -q -e '--help' "$dir/help"
	if grep -E '.{121}' "$dir/help"; then exit 1; fi
done

# A full disk is a failure, and says so.
if [ -e /dev/full ]; then
	code=0
	"$weir" --help >/dev/full 2>"$dir/err" || code=$?
	[ $code -eq 1 ]
	grep -q 'No space left' "$dir/err"
fi
