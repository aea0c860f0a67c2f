#!/bin/sh
# SPDX-License-Identifier: MIT
# `weir doctor` tells the same by text and by JSON, in the fields of the design, and knows what is needed.
set -eu
weir=$1
"$weir" doctor --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert list(d) == ["schema", "checks"] and d["schema"] == "weir.doctor/1", d
names = [c["name"] for c in d["checks"]]
assert len(set(names)) == len(names) and {"compiler", "dtls", "tun", "namespaces", "user_namespaces", "links", "stamps", "realtime",
    "congestion", "btf", "struct_ops", "clang", "libbpf"} <= set(names), names
for c in d["checks"]:
    assert list(c) == ["name", "ok", "detail", "remedy"], c
    assert isinstance(c["ok"], bool) and c["detail"], c
    assert (c["remedy"] is None) == c["ok"], c
'
"$weir" doctor >/dev/null

# What is not there is told with the way out and with what needs it, and is no failure of simulations.
out=$(CC=/bin/sh PATH=/nowhere "$weir" doctor)
printf '%s\n' "$out" | grep -q '^no *clang *no clang$'
printf '%s\n' "$out" | grep -q -e '-> apt-get install clang (building Weir needs it)$'

# Without a compiler `--controller ./mine.h` cannot work: exit 3, with the way out.
code=0
out=$(CC=no-such-compiler "$weir" doctor) || code=$?
[ $code -eq 3 ]
printf '%s\n' "$out" | grep -q '^missing *compiler *no no-such-compiler'
printf '%s\n' "$out" | grep -q -e '-> apt-get install gcc'
code=0
CC=/no/such/cc "$weir" doctor --json >/dev/null || code=$?
[ $code -eq 3 ]
# Not a terminal: no colours.
case $out in *"$(printf '\033')"*) exit 1 ;; esac
