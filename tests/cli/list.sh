#!/bin/sh
# SPDX-License-Identifier: MIT
# `weir list`: every kind, by text and by JSON, in the fields of the design.
set -eu
weir=$1
cd "$SOURCE_ROOT"
for kind in controllers scenarios experiments applications elements; do
	[ -n "$("$weir" list $kind)" ]
	"$weir" list $kind --json | KIND=$kind python3 -c '
import json, os, sys
kind = os.environ["KIND"]
d = json.load(sys.stdin)
assert list(d) == ["schema", kind] and d["schema"] == "weir.list/1"
names = [x["name"] for x in d[kind]]
assert names and len(set(names)) == len(names), names
if kind == "controllers":
    assert {"reno", "cubic", "vegas", "agile-sd", "scalable", "highspeed", "htcp", "bic", "illinois", "yeah",
            "compound", "africa", "fusion", "copa", "bbr"} <= set(names)
    assert all(c["kernel"] == (c["kind"] == "cc") for c in d[kind] if c["kind"] != "pilot"), names
    assert {"acp-plus", "acp", "lazy", "fixed"} <= {c["name"] for c in d[kind] if c["kind"] == "age"}, names
    pilots = {c["name"]: c for c in d[kind] if c["kind"] == "pilot"}
    assert {"nimbus", "vivace"} <= set(pilots), names
    assert {"name": "mode", "unit": "delay|competitive"} in pilots["nimbus"]["signals"], pilots
    modes = [p for p in pilots["nimbus"]["params"] if p["name"] == "delay_mode"][0]
    assert modes["unit"] == "basic-delay|copa|vegas" and modes["default"] == 0 and modes["max"] == 2, modes
    says = {c["name"]: c["source"] + str(c["params"]) for c in d[kind]}
    unverified = {name for name in says if "unverified" in says[name]}
    assert unverified == {"scalable", "htcp", "bic", "compound", "africa", "fusion"}, unverified
    for c in d[kind]:
        assert list(c) == ["name", "kind", "kernel", "about", "source", "params", "signals"], c
        assert c["kind"] in ("cc", "age", "pilot") and isinstance(c["kernel"], bool) and c["about"] and c["source"]
        for p in c["params"]:
            assert list(p) == ["name", "unit", "default", "min", "max", "help"], p
            assert p["min"] <= p["default"] <= p["max"], p
        for s in c["signals"]:
            assert list(s) == ["name", "unit"], s
if kind == "scenarios":
    assert "two-cubic" in names
    assert all(x["title"] and os.path.isfile(x["file"]) for x in d[kind]), d[kind]
if kind == "experiments":
    assert all("/" in x["name"] and x["title"] for x in d[kind]), d[kind]
'
done
# From elsewhere the shipped files are found beside the program's build folder, or in its installation.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/build" "$dir/usr/bin" "$dir/usr/share/weir"
cp "$weir" "$dir/build/weir"
cp "$weir" "$dir/usr/bin/weir"
cp -r scenarios "$dir/usr/share/weir/"
cd /
"$dir/usr/bin/weir" list scenarios | grep -q two-cubic
code=0
err=$("$dir/build/weir" list scenarios 2>&1) || code=$?
[ $code -eq 3 ]
case $err in *'no folder scenarios/'*) ;; *) exit 1 ;; esac
cp -r "$SOURCE_ROOT/scenarios" "$dir/"
"$dir/build/weir" list scenarios | grep -q two-cubic

code=0
err=$("$weir" list controlers 2>&1) || code=$?
[ $code -eq 2 ]
case $err in *'did you mean controllers?'*) ;; *) exit 1 ;; esac
