#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/setup on machines of all kinds, with apt-get, dpkg-query, sudo and id played by scripts.
set -eu
setup=$SOURCE_ROOT/tools/setup
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
export DIR="$dir" PATH="$dir/bin:$PATH"

play() {
	{ printf '#!/bin/sh\n'; cat; } >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}
play dpkg-query <<'E2'
for name; do :; done
grep -qx -e "$name" "$DIR/absent" && exit 1
printf installed
E2
play apt-get <<'E2'
echo "apt-get $*" >>"$DIR/calls"
case $1 in
update) touch "$DIR/lists" ;;
install) [ -e "$DIR/lists" ] || { echo "no lists here" >&2; exit 100; } ;;
esac
E2
play sudo <<'E2'
echo "sudo $1" >>"$DIR/calls"
exec "$@"
E2
play id <<'E2'
cat "$DIR/uid"
E2
fresh() {
	rm -f "$dir/calls" "$dir/lists"
	: >"$dir/absent"
	: >"$dir/calls"
	echo 0 >"$dir/uid"
}

# All is there: nothing is done, nothing is said.
fresh
[ -z "$("$setup" --check 2>&1)" ]
[ ! -s "$dir/calls" ]

# Lists are there: one install, no update, as root without sudo.
fresh
touch "$dir/lists"
printf '%s\n' meson ninja-build >"$dir/absent"
[ "$("$setup" 2>&1)" = 'setup: installing meson ninja-build' ]
[ "$(wc -l <"$dir/calls")" -eq 1 ]
grep -q '^apt-get install .* meson ninja-build$' "$dir/calls"

# A fresh machine: the lists come first.
fresh
echo meson >"$dir/absent"
"$setup" >/dev/null 2>&1
[ "$(cut -d' ' -f2 "$dir/calls" | tr '\n' ' ')" = 'install update install ' ]

# Not root: by sudo.
fresh
touch "$dir/lists"
echo meson >"$dir/absent"
echo 1000 >"$dir/uid"
"$setup" >/dev/null
grep -q '^sudo apt-get' "$dir/calls"

# What only tests need is left alone without --check.
fresh
echo chromium >"$dir/absent"
[ -z "$("$setup")" ]
[ "$("$setup" --check --list)" = chromium ]
[ ! -s "$dir/calls" ]

# What cannot be installed is exit 3, with apt-get's words.
fresh
echo meson >"$dir/absent"
play apt-get <<'E2'
echo "E: no such thing"
exit 100
E2
code=0
out=$("$setup" 2>&1) || code=$?
[ $code -eq 3 ]
case $out in *'E: no such thing'*'could not install meson'*) ;; *) exit 1 ;; esac
