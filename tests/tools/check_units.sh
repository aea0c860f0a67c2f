#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-units must see a quantity without a unit wherever an interface may hide one, and nothing else.
set -eu
check=$SOURCE_ROOT/tools/check-units
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/include/weir" "$root/src/link"
file=$root/src/link/x.h

cat >"$file" <<'C'
/* u64 delay; in a comment */
#define PERIOD(x) u64 period_##x; \
	u64 period
struct good {
	u64 delay_ns, rate_bps;
	const char *window; /* text has no unit */
	struct weir_rate_config rate;
	u64 wait_16ns[4];
	double loss_fraction;
};
enum kind { DELAY, RATE };
u64 weir_delay(u64 now_ns, u32 size_bytes);
static inline u64 f(u64 limit_packets)
{
	u64 delay = limit_packets; /* a local: its scope is a screen */
	return delay;
}
C
"$check" "$root"

# expect LINE NAME TEXT: this text alone in a header is told, at that line.
expect() {
	printf '%s\n' "$3" >"$file"
	if out=$("$check" "$root"); then
		echo "not seen: $3" >&2
		exit 1
	fi
	case $out in
	"src/link/x.h:$1: $2 has no unit"*) ;;
	*) echo "expected line $1 $2, got: $out" >&2; exit 1 ;;
	esac
	[ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ]
}
expect 2 delay 'struct a {
	u64 delay;
};'
expect 1 rate 'struct a { u64 delay_ns, rate; };'
expect 2 queue_limit 'struct a { struct { u32 n;
	size_t queue_limit; } inner; };'
expect 1 timeout 'void f(u64 now_ns, u32 timeout);'
expect 1 min_rtt 'static inline u64 f(double min_rtt) { u64 x = 1; return x; }'
expect 2 window 'struct ops {
	void (*set)(void *ctx, u64 window);
};'
expect 3 interval 'enum k { A,
B };
int g(long long interval);'
