#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: what its logs, captures and counters say, held against each other and against what was sent."""
import os
import re
import struct
import sys

from link_common import CONNECT, check, link, main, nothing_left, path, python, shell, verdict_of

SENDER = """
import os, socket, sys, time
count, size, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect((os.environ["WEIR_PEER"], 9))
started = time.monotonic()
for i in range(count):
    while time.monotonic() < started + i / rate: time.sleep(.0005)
    try: s.send(bytes(size))
    except ConnectionRefusedError: s.send(bytes(size))
time.sleep(.2)
"""
# What a sender gets for closed ports is not to be counted: somebody listens.
SINK = f"exec {sys.executable} -c \"import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); " \
       "s.bind(('', 9)); time.sleep(100)\""
BULK_SINK = f"exec {sys.executable} -c \"import socket; s = socket.create_server(('', 7000)); c, _ = s.accept();\n" \
            "while c.recv(65536): pass\n" \
            "c.sendall(b'done')\""
BULK = """
import os, socket, sys, time
c = socket.socket()
c.setsockopt(socket.IPPROTO_TCP, 13, b"cubic")
""" + CONNECT + """c.sendall(bytes(range(256)) * (int(sys.argv[1]) // 256))
c.shutdown(socket.SHUT_WR)
assert c.recv(10) == b"done"
"""


def hop(verdict, name):
    return next(h for h in verdict["hops"] if h["name"] == name)


# ---- captures ----

def packets(file):
    """(time in ns, packet, length on the wire) of a pcap in nanoseconds, DLT_RAW."""
    data = open(file, "rb").read()
    magic, _, _, _, _, _, link_type = struct.unpack("<IHHiIII", data[:24])
    check(magic == 0xa1b23c4d and link_type == 101, file, hex(magic), link_type)
    at = 24
    while at < len(data):
        s, ns, captured, wire = struct.unpack("<IIII", data[at:at + 16])
        yield s * 10**9 + ns, data[at + 16:at + 16 + captured], wire
        at += 16 + captured


def ones_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def right_checksums(packet):
    """Of an IPv4 packet with TCP or UDP: both."""
    header = (packet[0] & 15) * 4
    body = packet[header:]
    pseudo = packet[12:20] + bytes([0, packet[9]]) + struct.pack(">H", len(body))
    return ones_sum(packet[:header]) == 0xffff and ones_sum(pseudo + body) == 0xffff


def is_tcp(packet):
    return packet[0] >> 4 == 4 and packet[9] == 6


def captures_hold_every_packet_with_right_checksums():
    file = path("c.pcap")
    for options in ([], ["--offload", "off"]):
        _, verdict = verdict_of(["--rate", "50Mbit/s"], ["--delay", "5ms"], ["--pcap", file], ["--loss", "1%"],
                                *([options] if options else []), ["--beyond", BULK_SINK],
                                command=python(BULK, "2000000"))
        near, far = list(packets(file)), list(packets(path("c-beyond.pcap")))
        check(verdict["capture_packets_lost"] == 0, verdict)
        inside = verdict["overruns"] + verdict["unroutable"]
        # Near: what entered up and left down. Far: what left up and entered down.
        check(abs(len(near) - hop(verdict, "up")["in_packets"] - verdict["down"]["packets"]) <= inside, len(near),
              verdict)
        check(abs(len(far) - hop(verdict, "down")["in_packets"] - verdict["up"]["packets"]) <= inside, len(far),
              verdict)
        check(hop(verdict, "up")["drops_by"]["loss"] > 0, verdict)
        segments = [p for _, p, _ in near + far if is_tcp(p)]
        check(len(segments) > 2000 and max(len(p) for p in segments) <= 1500, len(segments))
        check(all(right_checksums(p) for p in segments), "a wrong checksum")
        # One clock: nothing leaves before it entered and the delay was over.
        first = {}
        for ns, packet, _ in near:
            first.setdefault(packet[20:], ns)
        waits = [ns - first[p[20:]] for ns, p, _ in far if p[20:] in first and is_tcp(p) and len(p) > 1000]
        check(waits and min(waits) >= 5_000_000, min(waits, default=None))
    # A part of each packet.
    link(["--pcap", file], ["--snap", "64"], command=shell("ping -q -c 3 -i 0.05 $WEIR_PEER"))
    cut = [(p, wire) for _, p, wire in packets(file) if wire == 84]
    check(len(cut) == 6 and all(len(p) == 64 for p, _ in cut), cut)


# ---- logs ----

def logs_agree_with_the_counters_field_a13():
    stem = path("l")
    _, verdict = verdict_of(["--rate", "2Mbit/s"], ["--delay", "10ms"], ["--buffer", "20packets"], ["--log", stem],
                            ["--beyond", SINK], command=python(SENDER, "500", "972", "400"))
    up = hop(verdict, "up")
    text = open(f"{stem}.up", encoding="utf-8").read()
    check(text.startswith("# mahimahi mm-link (up) [weir]\n# command line: weir link\n# queue: droptail\n"), text[:200])
    check("own delay of 10 ms" in text and "# base timestamp: 0\n" in text, text[:600])
    lines = [line.split() for line in text.splitlines() if line[0] != "#"]
    kinds = {kind: [line for line in lines if line[1] == kind] for kind in "+-d#"}
    check(len(kinds["+"]) + len(kinds["d"]) == up["in_packets"] or len(kinds["+"]) == up["in_packets"], up)
    check(len(kinds["-"]) == up["out_packets"] and len(kinds["d"]) == up["drops"], up, {k: len(v) for k, v in kinds.items()})
    check(up["drops"] > 50, "3.2 Mbit/s into 2 drops", up)
    data = [line for line in kinds["-"] if line[2] == "1004"]
    check(len(data) > 100, lines[:20])
    # A full buffer of 20 packets of 1000 bytes is 80 ms at this rate; the delay of 10 ms is not in it.
    waits = [int(line[3]) for line in data]
    check(80 <= max(waits) <= 81 and min(waits) == 0, max(waits), min(waits))
    # An opportunity each 6 ms, to the end.
    check(abs(len(kinds["#"]) - verdict["elapsed_s"] / 0.006) < 3, len(kinds["#"]), verdict["elapsed_s"])
    check(os.path.getsize(f"{stem}.down") > 0, "no log of the way down")


def a_log_of_a_scenario():
    file = path("s.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write("duration: 1 s\npaths:\n  main:\n    hops:\n"
                "      - {name: one, rate: 50 Mbit/s, delay: 2 ms}\n"
                "      - {name: two, walk: {mean: 12 Mbit/s, min: 6 Mbit/s, max: 18 Mbit/s}, delay: 1 ms}\n")
    stem = path("s")
    _, verdict = verdict_of(["--scenario", file], ["--log", stem],
                            command=shell("ping -q -c 20 -i 0.05 $WEIR_PEER"), timeout_s=30)
    check([h["name"] for h in verdict["hops"]] == ["one", "two", "main.back"], verdict["hops"])
    check(verdict["asked"]["rtt_ms"] == 6 and verdict["asked"]["up"]["hops"] == ["one", "two"], verdict["asked"])
    offered = len(re.findall(r" # 1504$", open(f"{stem}.two", encoding="utf-8").read(), re.M))
    seconds = verdict["elapsed_s"]
    check(500 * seconds * .9 < offered < 1500 * seconds * 1.1, offered, seconds)


# ---- losses and marks ----

def losses_are_as_many_as_asked():
    _, verdict = verdict_of(["--loss", "1%"], ["--beyond", SINK], command=python(SENDER, "20000", "100", "10000"))
    up = hop(verdict, "up")
    outside = verdict["overruns"]
    check(up["in_packets"] >= 20000 - outside, verdict)
    check(0 <= up["in_packets"] - verdict["up"]["packets"] - up["drops_by"]["loss"] <= outside, verdict)
    # Six standard deviations of 14.
    check(abs(up["drops_by"]["loss"] - 200) <= 85, up)
    check(hop(verdict, "down")["in_packets"] < 100, verdict)


def one_way_only():
    _, verdict = verdict_of(["--up", "loss.model=periodic"], ["--up", "loss.period=4"], ["--down", "rate=3Mbit/s"],
                            command=shell("ping -q -c 12 -i 0.05 -W 1 $WEIR_PEER; true"))
    up, down = hop(verdict, "up"), hop(verdict, "down")
    check(up["drops_by"]["loss"] >= 3 and up["rate_bps"] is None, up)
    check(down["drops_by"]["loss"] == 0 and down["rate_bps"] == 3_000_000, down)


def marks_are_seen():
    file = path("e.pcap")
    _, verdict = verdict_of(["--rate", "10Mbit/s"], ["--delay", "10ms"], ["--buffer", "100packets"], ["--aqm", "codel"],
                            "--ecn", ["--pcap", file], ["--snap", "64"], "--isolated", ["--beyond", BULK_SINK],
                            command=python(BULK, "2500000"))
    up = hop(verdict, "up")
    marked = sum(is_tcp(p) and p[1] & 3 == 3 for _, p, _ in packets(path("e-beyond.pcap")))
    entered = sum(is_tcp(p) and p[1] & 3 == 3 for _, p, _ in packets(file))
    check(up["marks"] >= 2 and marked == up["marks"] and entered == 0, up, marked, entered)
    check(up["drops_by"]["aqm"] == 0, up)


if __name__ == "__main__":
    sys.exit(main(captures_hold_every_packet_with_right_checksums, logs_agree_with_the_counters_field_a13,
                  a_log_of_a_scenario, losses_are_as_many_as_asked, one_way_only, marks_are_seen))
