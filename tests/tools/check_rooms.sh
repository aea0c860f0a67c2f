#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-rooms must pass what is right and see each breach: made here, told with file and line.
set -eu
check=$SOURCE_ROOT/tools/check-rooms
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mit='/* SPDX-License-Identifier: MIT */'
dual='/* SPDX-License-Identifier: MIT OR GPL-2.0-only */'

fresh() {
	rm -rf "$root/src" "$root/include"
	mkdir -p "$root/include/weir" "$root/src/core" "$root/src/cc" "$root/src/link" "$root/src/sim" "$root/src/attic"
	printf '%s\n' "$dual" '#include "num.h"' >"$root/include/weir/cc.h"
	printf '%s\n' "$dual" >"$root/include/weir/num.h"
	printf '%s\n' "$mit" '#include "core/rng.h"' '#include "weir/cc.h"' '#include <stdio.h>' >"$root/src/link/hop.h"
}
# expect FILE:LINE WORDS: the breach is found there, is the only one, and fails the check.
expect() {
	if out=$("$check" "$root"); then
		echo "not seen: $2" >&2
		exit 1
	fi
	case $out in
	"$1: "*"$2"*) ;;
	*) echo "expected $1: ... $2, got: $out" >&2; exit 1 ;;
	esac
	[ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ]
	fresh
}

fresh
"$check" "$root"
printf '%s\n' "$mit" '#include "sim/world.h"' >"$root/src/link/bad.c"
expect src/link/bad.c:2 'link/ must not include sim/'
printf '%s\n' "$dual" '#include "link/hop.h"' >"$root/src/cc/bad.h"
expect src/cc/bad.h:2 'cc/ must not include link/'
printf '%s\n' "$mit" '#include "../sim/world.h"' >"$root/src/link/bad.c"
expect src/link/bad.c:2 'name the room'
printf '%s\n' "$mit" '#include <time.h>' >"$root/src/sim/bad.c"
expect src/sim/bad.c:2 'time and input come as arguments'
printf '%s\n' "$mit" '#include <sys/socket.h>' >"$root/src/link/bad.c"
expect src/link/bad.c:2 'time and input come as arguments'
printf '%s\n' "$dual" '' '#include "core/rng.h"' >"$root/include/weir/bad.h"
expect include/weir/bad.h:3 'only its neighbours'
printf '%s\n' 'int x;' >"$root/src/sim/bad.c"
expect src/sim/bad.c:1 'SPDX-License-Identifier'
printf '%s\n' "$mit" >"$root/src/cc/bad.h"
expect src/cc/bad.h:1 'the licence here is MIT OR GPL-2.0-only'
printf '%s\n' "$mit" >"$root/src/link/bad.bpf.c"
expect src/link/bad.bpf.c:1 'the licence here is MIT OR GPL-2.0-only'
printf '%s\n' "$mit" >"$root/src/attic/bad.c"
expect src/attic/bad.c:1 'in no room'
{ printf '%s\n' "$mit"; yes 'extern int x;' | head -n 799; } >"$root/src/sim/long.c"
"$check" "$root"
echo 'extern int y;' >>"$root/src/sim/long.c"
expect src/sim/long.c:801 '800 is the limit'
