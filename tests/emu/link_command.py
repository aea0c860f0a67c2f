#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: statuses, environment, hosts, and what it says."""
import json
import os
import sys

from link_common import check, link, main, nothing_left, path, shell, verdict_of


def statuses_are_passed():
    link(command=("true",), says="nothing passed")
    link(command=shell("exit 7"), code=7)
    link(command=shell("kill -TERM $$"), code=128 + 15)
    link(command=shell("kill -KILL $$"), code=128 + 9)
    link(command=("no-such-command",), code=127, says="no-such-command: No such file")
    link(command=("/etc/passwd",), code=126, says="/etc/passwd: Permission denied")
    nothing_left()


def own_failures_are_125():
    link(["--log", "/nowhere/log"], code=125, says="/nowhere/log.up: No such file")
    link(["--pcap", "/nowhere/x.pcap"], code=125, says="/nowhere/x.pcap: No such file")
    link(["--verdict", "/nowhere/x.json"], code=125, says="--verdict /nowhere/x.json: No such file")
    _, err = link(["--verdict", path("v.json")], command=("no-such-command",), code=127)
    check(not os.path.exists(path("v.json")) and "faithful" not in err, "a verdict on nothing:", err)


def quiet_and_json():
    out, err = link("--quiet", "--json", command=shell("echo out; echo err >&2"), env={"NO_COLOR": "1"})
    check(err == "err\n", "quiet says", repr(err))
    first, rest = out.split("\n", 1)
    document = json.loads(rest)
    check(first == "out" and list(document)[0] == "schema" and document["schema"] == "weir.link/1", out)
    check(document["status"] == 0 and document["command"] == "sh", document)


def the_environment():
    names = ["PEER", "PEER6", "LINK_PEER", "SELF", "SELF6", "HOST", "HOSTS", "PEERS", "RANGE"]
    out, _ = link(command=shell(" ".join(f'echo "$WEIR_{name}";' for name in names)))
    values = dict(zip(names, out.splitlines()))
    check(values["PEER"].startswith("100.") and values["LINK_PEER"] == values["PEER"] == values["PEERS"], values)
    check(values["PEER6"].startswith("fd") and values["SELF6"].startswith("fd"), values)
    check(values["HOST"] == values["HOSTS"] == "1" and "/" in values["RANGE"], values)
    # The command's own namespace: one device beside lo. Beyond is this one.
    out, _ = link(command=shell("ls /sys/class/net; cat /proc/net/dev | wc -l; readlink /proc/self/ns/net"))
    check(out.splitlines()[-2] == "4" and out.splitlines()[-1] != os.readlink("/proc/self/ns/net"), out)


def a_command_inherits_no_descriptor():
    out, _ = link(["--log", path("fd")], ["--pcap", path("fd.pcap")], ["--beyond", "ls -l /proc/self/fd >&2"],
                  command=shell("ls -l /proc/self/fd | grep -c -e '->'"))
    check(out == "4\n", "ls has descriptors beside its own:", out)


def a_shell_with_a_prompt():
    out, _ = link(["--rate", "12Mbit/s"], ["--delay", "25ms"], command=(), env={"SHELL": path("shell")})
    check(out == "[weir 12 Mbit/s 25 ms] $ |", repr(out))


def ping_both_families():
    for peer in ("$WEIR_PEER", "$WEIR_PEER6"):
        for options in ([], ["--isolated"], ["--offload", "off"], ["--stamp", "off"], ["--gso", "off"]):
            out, verdict = verdict_of(*([options] if options else []),
                                      command=shell(f"ping -q -c 2 -i 0.05 -W 5 {peer}"))
            check(" 0% packet loss" in out, options, out)
            check(verdict["up"]["packets"] >= 2 and verdict["down"]["packets"] >= 2, verdict)
            check(not (verdict["stamped"] and "--stamp" in options), verdict)


def hosts_reach_each_other():
    script = 'for p in $WEIR_PEERS; do ping -q -c 1 -W 5 $p >/dev/null || exit 1; done; echo $WEIR_HOST $WEIR_PEER'
    out, verdict = verdict_of(["--hosts", "3"], ["--delay", "2ms"], command=shell(script))
    hosts = dict(line.split() for line in out.splitlines())
    check(sorted(hosts) == ["1", "2", "3"] and len(set(hosts.values())) == 3, out)
    check(verdict["hosts"] == 3 and verdict["unroutable"] == 0, verdict)
    check(verdict["up"]["packets"] == 9 and verdict["down"]["packets"] == 9, verdict)
    # The first that fails, by number, gives the status.
    link(["--hosts", "3"], command=shell("sleep 0.$((4 - WEIR_HOST)); exit $((WEIR_HOST > 1 ? WEIR_HOST : 0))"), code=2)
    nothing_left()


def beyond_runs_as_long():
    server = "import http.server as h; h.HTTPServer(('', 8080), h.SimpleHTTPRequestHandler).serve_forever()"
    client = ("import os, urllib.request as u; "
              "print(u.urlopen(f\"http://{os.environ['WEIR_PEER']}:8080/\", timeout=9).status)")
    for options in ([], ["--isolated"]):
        out, _ = link(*options, ["--beyond", f'cd {path(".")} && exec {sys.executable} -c "{server}"'],
                      command=(sys.executable, "-c", client))
        check(out == "200\n", options, out)
        nothing_left()
    _, err = link(["--beyond", "exit 3"], command=("sleep", "0.2"), code=0)
    check("--beyond ended early with status 3" in err, err)


def what_a_command_leaves_is_ended():
    _, err = link(command=shell("sleep 100 & sleep 100 & nohup sleep 100 >/dev/null 2>&1 & true"))
    check("ended 3 processes that the command left" in err, err)
    nothing_left()


if __name__ == "__main__":
    with open(path("shell"), "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nprintf "%s|" "$PS1"\n')
    os.chmod(path("shell"), 0o755)
    sys.exit(main(statuses_are_passed, own_failures_are_125, quiet_and_json, the_environment,
                  a_command_inherits_no_descriptor, a_shell_with_a_prompt,
                  ping_both_families, hosts_reach_each_other, beyond_runs_as_long, what_a_command_leaves_is_ended))
