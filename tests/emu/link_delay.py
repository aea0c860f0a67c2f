#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: round trips as pings see them, through one link, through nested ones, over IPv6 and on traces."""
import json
import re
import statistics
import sys
import time

from link_common import CONNECT, TRIES, WEIR, Skipped, check, link, main, nothing_left, path, python, shell, valid, verdict_of

# Between an observer in the hosts and the link's own account: wake-ups of the hosts' network stacks.
HOST_MS = 0.5


def round_trips_ms(out):
    return [float(ms) for ms in re.findall(r"time=([0-9.]+) ms", out)]


def right_delay(rtts_ms, asked_ms, error_ms, what):
    median = statistics.median(rtts_ms)
    print(f"{what}: min {min(rtts_ms):.3f}, median {median:.3f}, max {max(rtts_ms):.3f} ms, error p99 {error_ms:.3f} ms")
    check(min(rtts_ms) >= asked_ms, what, "min", min(rtts_ms), "below", asked_ms)
    check(median <= asked_ms + error_ms + HOST_MS, what, "median", median, "of", asked_ms)


def fifty_ms():
    for peer in ("$WEIR_PEER", "$WEIR_PEER6"):
        out, verdict = valid("50 ms by ping", ["--rate", "100Mbit/s"], ["--delay", "25ms"],
                             command=shell(f"ping -c 100 -i 0.02 {peer}"))
        rtts = round_trips_ms(out)
        check(len(rtts) == 100, "of 100 pings came", len(rtts))
        right_delay(rtts, 50, verdict["rtt_error_us"] / 1e3, peer)
        check(verdict["asked"]["rtt_ms"] == 50 and verdict["asked"]["up"]["rate_bps"] == 100_000_000, verdict)


def three_nested_links_add_up():
    files = [path(f"nest{i}.json") for i in range(3)]
    delays = ["5ms", "7ms", "8ms"]
    line = ["ping", "-c", "40", "-i", "0.02"]
    script = " ".join(line) + " $WEIR_PEER"
    command = shell(script)
    for file, delay in list(zip(files, delays))[1:][::-1]:
        command = (WEIR, "link", "-q", "--delay", delay, "--verdict", file, "--", *command)
    for _ in range(TRIES):
        out, _ = link("-q", ["--delay", delays[0]], ["--verdict", files[0]], command=command)
        verdicts = [json.load(open(file, encoding="utf-8")) for file in files]
        if all(v["verdict"] != "invalid" for v in verdicts):
            right_delay(round_trips_ms(out), 40, sum(v["rtt_error_us"] for v in verdicts) / 1e3, "three links")
            return
    raise Skipped(f"nested links: invalid {TRIES} times")


def eight_nested_links_work():
    inner = 'ping -c 2 -i 0.1 -W 5 $WEIR_PEER && ping -c 2 -i 0.1 -W 5 $WEIR_PEER6'
    command = shell(inner)
    for _ in range(7):
        command = (WEIR, "link", "-q", "--delay", "1ms", "--", *command)
    out, _ = link(["--delay", "1ms"], command=command)
    rtts = round_trips_ms(out)
    check(len(rtts) == 4 and min(rtts) >= 16, out)
    nothing_left()


def a_path_without_time_carries_at_once():
    out, _ = link(command=shell("ping -c 20 -i 0.02 $WEIR_PEER"))
    check(min(round_trips_ms(out)) < 1, out)


# Sends N bytes to the peer and waits for its answer; prints how long that took.
SERVER = """
import socket
s = socket.create_server(("", 7000))
c, _ = s.accept()
while c.recv(65536): pass
c.sendall(b"done")
"""
CLIENT = """
import os, socket, sys, time
c = socket.socket()
c.setsockopt(socket.IPPROTO_TCP, 13, b"cubic")
started = time.monotonic()
c.settimeout(40)
""" + CONNECT + """c.sendall(bytes(int(sys.argv[1])))
c.shutdown(socket.SHUT_WR)
assert c.recv(10) == b"done"
print(time.monotonic() - started)
"""


def transfer(name, *options, size, timeout_s=60):
    """(seconds that it took, verdict)"""
    server = path("server.py")
    with open(server, "w", encoding="utf-8") as f:
        f.write(SERVER)
    out, verdict = valid(name, *options, ["--beyond", f"exec {sys.executable} {server}"],
                         command=python(CLIENT, str(size)), timeout_s=timeout_s)
    return float(out), verdict


def a_trace_sets_the_rate():
    up, down = path("up.trace"), path("down.trace")
    with open(up, "w", encoding="utf-8") as f:
        f.write("".join(f"{ms}\n" for ms in range(1, 101)))  # 12 Mbit/s
    with open(down, "w", encoding="utf-8") as f:
        f.write("10\n")  # 1.2 Mbit/s
    took_s, verdict = transfer("trace", ["--trace", f"{up},{down}"], ["--delay", "5ms"], size=1_500_000)
    asked = verdict["asked"]
    check(asked["up"]["rate_bps"] == 12_000_000 and asked["down"]["rate_bps"] == 1_200_000, asked)
    least_s = 1_500_000 * 1500 / 1448 / 1.5e6
    print(f"1.5 MB at 12 Mbit/s: {took_s:.3f} s, at least {least_s:.3f} s")
    check(least_s <= took_s <= 1.5 * least_s, "took", took_s)
    # One file for both.
    _, verdict = verdict_of(["--trace", up])
    check(verdict["asked"]["down"]["rate_bps"] == 12_000_000, verdict)


def field_a16_a_very_slow_trace():
    slow = path("slow.trace")
    with open(slow, "w", encoding="utf-8") as f:
        f.write("0\n104\n209\n314\n418\n523\n")  # one packet per 105 ms
    _, err = link(["--trace", slow], command=("true",))
    check(err.count("below 200 kbit/s") == 2 and "warning: up: mean rate 137." in err, err)
    started = time.monotonic()
    took_s, _ = transfer("A16", ["--trace", slow], ["--delay", "20ms"], size=4000)
    print(f"A16: 4 kB at .1 Mbit/s took {took_s:.2f} s")
    check(took_s < 10 and time.monotonic() - started < 60, "took", took_s)


if __name__ == "__main__":
    sys.exit(main(fifty_ms, three_nested_links_add_up, eight_nested_links_work, a_path_without_time_carries_at_once,
                  a_trace_sets_the_rate, field_a16_a_very_slow_trace))
