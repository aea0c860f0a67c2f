#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Field cases of emulators with real packets: A10, A11, A13, A17, B2, B4, B8, B10. docs/field-cases.md lists which
test holds which case."""
import json
import os
import re
import struct
import sys
import time

import outside
from link_common import Skipped, check, link, main, nothing_left, path, python, shell, valid, verdict_of

# Numbered datagrams to port 9 of the peer; the far end notes the order in which they come.
SEND = """
import os, socket, struct, sys, time
count, size, rate, mtu = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
if mtu:
    import subprocess
    device = next(l.split(":")[1].strip() for l in
                  subprocess.check_output(["ip", "-o", "link"], text=True).splitlines() if "POINTOPOINT" in l)
    subprocess.check_call(["ip", "link", "set", "dev", device, "mtu", str(mtu)])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
s.connect((os.environ["WEIR_PEER"], 9))
start = time.monotonic()
for i in range(count):
    while rate and time.monotonic() < start + i / rate: time.sleep(.0002)
    s.send(struct.pack(">I", i) + bytes(size - 32))
time.sleep(float(sys.argv[5]))
for _ in range(3):
    s.send(struct.pack(">I", 0xffffffff))
    time.sleep(.1)
"""
NOTE = """
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)
s.bind(("", 9))
came = []
while True:
    data = s.recv(65536)
    number = struct.unpack(">I", data[:4])[0]
    if number == 0xffffffff: break
    came.append(number)
with open(sys.argv[1], "w") as f: f.write("\\n".join(map(str, came)))
s.recv(65536)
"""


def noted(*options, count, size=100, rate=0, mtu=0, wait_s=0.5):
    """(numbers in the order of their arrival, verdict). Which packets come does not depend on lateness."""
    file, script = path("came"), path("note.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(NOTE)
    with open(file, "w", encoding="utf-8"):
        pass
    sender = python(SEND, str(count), str(size), str(rate), str(mtu), str(wait_s))
    _, verdict = verdict_of(*options, "--isolated", ["--beyond", f"exec {sys.executable} {script} {file}"],
                            command=("sh", "-c", 'sleep .5; exec "$@"', "sh", *sender), timeout_s=60)
    with open(file, encoding="utf-8") as f:
        return [int(line) for line in f], verdict


def hop(verdict, name="up"):
    return next(h for h in verdict["hops"] if h["name"] == name)


def field_a10_larger_packets_are_counted_and_carried():
    """Somebody raised the MTU of the device: nothing dies, bytes are bytes."""
    for offload in ("on", "off"):
        came, verdict = noted(["--rate", "100Mbit/s"], ["--delay", "5ms"], ["--offload", offload], count=20, size=8000,
                              rate=1000, mtu=9000)
        check(came == list(range(20)), came[:30])
        check(verdict["oversize"] == 20, verdict["oversize"])
        check(hop(verdict)["in_bytes"] >= 20 * 8000 and hop(verdict)["drops"] == 0, hop(verdict))


def ping_ms(text):
    """(least, greatest) of ping's summary."""
    found = re.search(r"= ([\d.]+)/[\d.]+/([\d.]+)/", text)
    check(found, "no answer:", text)
    return float(found[1]), float(found[2])


PING = 'exec env -u LD_PRELOAD ping -q -c 40 -i .02 "$WEIR_PEER"'


def field_a11_steps_of_the_wall_clock_change_nothing():
    """In the link's process the wall clock steps by -2 s and +2 s ten times a second (stepping_clock.c)."""
    shim = os.path.join(os.environ["ROOT_TOOLS"], "libstepping_clock.so")
    log, capture = path("log"), path("c.pcap")
    out, verdict = valid("A11", ["--rate", "100Mbit/s"], ["--delay", "25ms"], ["--log", log], ["--pcap", capture],
                         command=shell(PING), env={"LD_PRELOAD": shim})
    least, greatest = ping_ms(out)
    print(f"A11: {least} to {greatest} ms, {verdict['verdict']}")
    check(50 <= least and greatest < 50 * 1.05 + 0.5, out)
    check(verdict["elapsed_s"] < 5, verdict)
    for way in ("up", "down"):
        with open(f"{log}.{way}", encoding="utf-8") as f:
            times = [int(line.split()[0]) for line in f if line[0].isdigit() and line.split()[1] != "#"]
        check(len(times) == 80 and times == sorted(times) and times[-1] < 5000, way, times[:10], len(times))
    stamps = [at for at, _ in packets(capture)]
    check(stamps == sorted(stamps) and stamps[-1] - stamps[0] < 5e9, capture)


def field_a11_a_shifted_monotonic_clock_changes_nothing():
    """In a time namespace the kernel's stamps are of another clock than the link's own."""
    for offset in ("1000000", "-100"):
        enter = ["unshare", "--time", "--monotonic", offset, "--fork", "--kill-child"]
        if outside.run([*enter, "true"], 10).returncode != 0:
            raise Skipped("A11: needs time namespaces")
        for _ in range(3):
            file = path("verdict.json")
            done = outside.run([*enter, outside.WEIR, "link", "--rate", "100Mbit/s", "--delay", "25ms", "--verdict",
                                file, "--", *shell(PING)], 30)
            with open(file, encoding="utf-8") as f:
                verdict = json.load(f)
            if verdict["verdict"] != "invalid":
                break
        least, greatest = ping_ms(done.stdout)
        print(f"A11: monotonic clock {offset} s off: {least} to {greatest} ms, {verdict['verdict']}")
        # An invalid verdict three times may be the machine's fault; a wrong RTT never is one of them.
        check(49.9 <= least and (greatest < 50 * 1.05 + 0.5 or verdict["verdict"] == "invalid"), offset, done)


def packets(file):
    """(time in ns, packet) of a capture."""
    with open(file, "rb") as f:
        data = f.read()
    at = 24
    while at < len(data):
        s, ns, captured, _ = struct.unpack("<IIII", data[at:at + 16])
        yield s * 10**9 + ns, data[at + 16:at + 16 + captured]
        at += 16 + captured


def field_a13_the_log_says_what_its_delays_hold():
    """100 ms around a link of 20 ms: the log of the inner one is about its queue; its captures give the delay from
    end to end."""
    log, capture = path("log"), path("c.pcap")
    inner = [outside.WEIR, "link", "--rate", "12Mbit/s", "--delay", "20ms", "--log", log, "--pcap", capture, "--",
             *shell(PING.replace("40", "10"))]
    out, _ = verdict_of(["--delay", "50ms"], "--isolated", command=inner)
    check(140 <= ping_ms(out)[0] < 145 or "WEIR_PEER" in out, out)
    with open(f"{log}.up", encoding="utf-8") as f:
        lines = f.read().splitlines()
    check(any(line.startswith("#") and "the wait in the queue of this hop, without" in line for line in lines), lines[:8])
    waits = [int(line.split()[3]) for line in lines if " - " in line]
    check(len(waits) == 10 and max(waits) <= 2, waits)
    stem, end = os.path.splitext(capture)
    sent = {packet[26:28]: at for at, packet in packets(capture) if packet[20] == 8}
    came = {packet[26:28]: at for at, packet in packets(f"{stem}-beyond{end}") if packet[20] == 8}
    delays_ms = [(came[number] - at) / 1e6 for number, at in sent.items()]
    print(f"A13: waits {max(waits)} ms, from end to end {min(delays_ms):.2f} to {max(delays_ms):.2f} ms")
    check(len(delays_ms) == 10 and min(delays_ms) >= 20, delays_ms)


def field_a17_unknown_keys_are_named():
    for options, words in {
            ("--up", "packet=100"): '"packet"', ("--down", "mypackets=5"): '"mypackets"',
            ("--buffer", "mypackets=5"): "mypackets=5", ("--aqm", "packet=100"): "packet=100",
            ("--uplink-queue-args=packet=100",): "--uplink-queue-args", ("--up", "aqm={name: codel, targett: 5ms}"):
                "did you mean target?"}.items():
        _, said = link(["--rate", "1Mbit/s"], list(options), code=2, says=words)
        check("required" not in said, said)


def field_b2_jitter_keeps_the_order():
    """5 packets a ms, 50 ms +- 1 ms."""
    count = 5000
    came, verdict = noted(["--delay", "50ms"], ["--up", "jitter=2ms"], count=count, rate=5000)
    check(came == list(range(count)), "reordered or lost:", len(came), verdict["verdict"])
    came, _ = noted(["--delay", "50ms"], ["--up", "jitter={max: 2ms, reorders: true}"], count=count, rate=5000)
    back = sum(b < a for a, b in zip(came, came[1:]))
    check(sorted(came) == list(range(count)) and back > count / 10, "not reordered:", len(came), back)


def field_b4_a_slow_link_does_not_stand_still():
    """Ten times its rate for 3 s: the queue is as long as asked for, in time, and nothing needs an answer to ARP."""
    flood = """
import os, socket, subprocess, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect((os.environ["WEIR_PEER"], 9))
ping = subprocess.Popen(["ping", "-q", "-c", "40", "-i", ".1", "-W", "2", os.environ["WEIR_PEER"]])
end = time.monotonic() + 3
while time.monotonic() < end:
    try: s.send(bytes(1000))
    except ConnectionRefusedError: pass
    time.sleep(.003)
ping.wait()
print(subprocess.check_output(["ip", "neigh"], text=True).replace("REACHABLE", "NEIGHBOUR"), flush=True)
print(subprocess.check_output(["ip", "-o", "link"], text=True), flush=True)
"""
    script = path("sink.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write('import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.bind(("", 9))\n'
                "while True: s.recv(65536)\n")
    out, verdict = verdict_of(["--rate", "256kbit/s"], ["--delay", "10ms"], ["--buffer", "500ms"], "--isolated",
                              ["--beyond", f"exec {sys.executable} {script}"], command=python(flood))
    least, greatest = ping_ms(out)
    print(f"B4: ping {least} to {greatest} ms, {hop(verdict)['drops']} dropped")
    check(hop(verdict)["drops"] > 100, hop(verdict))
    # the buffer, the packet in transmission (1028 bytes: 32 ms), a ping's own transmissions and the delay; and
    # what the link says that it was late by
    late_ms = 2 * verdict["lateness_us"]["max"] / 1000
    check(300 < greatest < 500 + 33 + 6 + 20 + 25 + late_ms, out, late_ms)
    check("NEIGHBOUR" not in out and "NOARP" in out, out)


BULK_SINK = """
import socket
c, _ = socket.create_server(("", 7000)).accept()
while c.recv(1 << 16): pass
c.sendall(b"done")
"""
BULK = """
import os, socket, sys, time
c = socket.socket()
c.setsockopt(socket.IPPROTO_TCP, 13, b"cubic")
time.sleep(.5)
c.connect((os.environ["WEIR_PEER"], 7000))
c.sendall(bytes(int(sys.argv[1])))
c.shutdown(socket.SHUT_WR)
assert c.recv(10) == b"done"
"""


def field_b8_nothing_is_divided_by_nothing():
    """1 % lost at 1 Gbit/s with hardly any round trip; buffers that round to nothing are refused in words."""
    script = path("bulk.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(BULK_SINK)
    for delay in ("0", "50us"):
        started = time.monotonic()
        verdict_of(["--rate", "1Gbit/s"], ["--delay", delay], ["--loss", "1%"], "--isolated",
                   ["--beyond", f"exec {sys.executable} {script}"], command=python(BULK, "5000000"), timeout_s=60)
        print(f"B8: delay {delay}: 5 MB in {time.monotonic() - started:.2f} s")
    link(["--rate", "1Gbit/s"], ["--delay", "10us"], ["--buffer", ".01BDP"], code=2, says="less than one packet")


def field_b10_limits_in_bytes_packets_and_time():
    """A burst of 400 at once into 100 kbit/s: what is in the queue, on the wire, and what left meanwhile passes."""
    for size, buffer, room in ((64, "15000B", 234), (1500, "15000B", 10), (64, "20packets", 20),
                               (1500, "20packets", 20), (64, "500ms", 97), (1500, "500ms", 4)):
        came, verdict = noted(["--delay", "50ms"], ["--up", "rate=100kbit/s"], ["--up", f"buffer={buffer}"],
                              count=400, size=size, wait_s=room * size * 8 / 1e5 + .3)
        took = room + 1
        # In the 200 ms that the burst may take on a busy machine, a link of 100 kbit/s sends 2500 bytes.
        print(f"B10: {size} bytes, {buffer}: {len(came)} of 400 taken")
        check(took <= len(came) <= took + 1 + 2500 / size, size, buffer, len(came))
        check(hop(verdict)["drops"] >= 400 - len(came), hop(verdict))
        check(came[:took] == list(range(took)), "not a tail drop:", came[:30])


if __name__ == "__main__":
    sys.exit(main(field_a10_larger_packets_are_counted_and_carried, field_a11_steps_of_the_wall_clock_change_nothing,
                  field_a11_a_shifted_monotonic_clock_changes_nothing, field_a13_the_log_says_what_its_delays_hold,
                  field_a17_unknown_keys_are_named, field_b2_jitter_keeps_the_order,
                  field_b4_a_slow_link_does_not_stand_still, field_b8_nothing_is_divided_by_nothing,
                  field_b10_limits_in_bytes_packets_and_time, nothing_left))
