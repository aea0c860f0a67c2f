#!/bin/sh
# SPDX-License-Identifier: MIT
# `weir link` of an ordinary user: works and nests where /dev/net/tun lets it, else says what to grant in one
# line. In a mount namespace of its own, so that the machine's /dev/net/tun stays as it is.
set -eu
weir=$1
if [ "${2:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { echo 'needs root (to become somebody else)'; exit 77; }
	for tool in unshare setpriv ping timeout; do
		command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
	done
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	chmod 755 "$dir"
	cp "$weir" "$dir/weir"
	code=0
	unshare -m sh "$0" "$weir" inside "$dir" || code=$?
	exit $code
fi

dir=$3
mkdir "$dir/mine" && chown 65534:65534 "$dir/mine"
mknod "$dir/tun" c 10 200 || { echo 'device nodes cannot be made here'; exit 77; }
mount --bind "$dir/tun" /dev/net/tun || { echo 'nothing can be mounted here'; exit 77; }
export WEIR="$dir/weir" WEIR_RUNTIME_DIR="$dir/mine"
unset XDG_RUNTIME_DIR
cd "$dir/mine"
nobody() {
	timeout -k 5 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# The device is root's: one line, nothing started.
chmod 600 "$dir/tun"
code=0
nobody "$WEIR" link --delay 5ms -- touch "$dir/mine/started" >"$dir/out" 2>"$dir/err" || code=$?
[ $code -eq 3 ] || { echo "exit $code instead of 3"; cat "$dir/err"; exit 1; }
[ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'as root: chmod 666 /dev/net/tun' "$dir/err"
[ ! -s "$dir/out" ] && [ ! -e "$dir/mine/started" ]

# It is everybody's: a link, and one inside it. The command's exit status says whether all answers came.
chmod 666 "$dir/tun"
code=0
nobody "$WEIR" link --rate 100Mbit/s --delay 20ms -- sh -c '
	ping -q -c 5 -i 0.05 -W 5 "$WEIR_PEER" || exit 40
	"$WEIR" link --delay 10ms -- sh -c "ping -q -c 5 -i 0.05 -W 5 \$WEIR_PEER; exit 8" || [ $? -eq 8 ] || exit 41
	exit 7' >"$dir/out" 2>"$dir/err" || code=$?
[ $code -ne 3 ] || { cat "$dir/err"; exit 77; } # no user namespaces here
[ $code -eq 7 ] || { echo "exit $code instead of 7"; cat "$dir/out" "$dir/err"; exit 1; }
[ "$(grep -c ' 0% packet loss' "$dir/out")" -eq 2 ] || { cat "$dir/out"; exit 1; }
# 40 ms, and 60 through both: never less
awk -F '[=/ ]+' '/^rtt/ { if ($6 < 40 + 20 * n++) exit 1 } END { exit n != 2 }' "$dir/out" || { cat "$dir/out"; exit 1; }
[ -z "$(ls "$dir/mine")" ]
