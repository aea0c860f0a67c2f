#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the kernel tells a controller, and what becomes of its answers, under marks, drops of the own device, a
timeout that was a mistake, and heavy loss: real transfers, watched call by call.

The emulated links need not be faithful for this: what matters is what happened, not when."""
import collections
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time

WEIR = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="weir-kernel-events-")  # pylint: disable=consider-using-with
os.environ["WEIR_RUNTIME_DIR"] = os.path.join(FOLDER.name, "records")
CALLS = os.path.join(FOLDER.name, "calls.csv")
NEW_EPISODE = 1 << 31
TRIES = 3

# Sends for so many seconds, after a pause for the watcher.
SEND = """
import socket, sys, time
address, seconds = sys.argv[1], float(sys.argv[2])
time.sleep(.5)
one = socket.create_connection((address, 5300))
end = time.monotonic() + seconds
while time.monotonic() < end:
    one.sendall(bytes(1 << 16))
one.shutdown(socket.SHUT_WR)
one.recv(1)
"""
TAKE = """
import socket
one, _ = socket.create_server(("0.0.0.0", 5300)).accept()
while one.recv(1 << 20):
    pass
"""


def fail(*words):
    print("FAILED:", *words)
    sys.exit(1)


def script(name, text):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def calls():
    with open(CALLS, encoding="ascii") as f:
        rows = [row for row in csv.DictReader(f) if None not in row.values()]
    for row in rows:
        for key, value in row.items():
            if key not in ("event", "loss"):
                row[key] = int(value)
        row["new"] = row["event"] == "loss" and bool(row["flags"] & NEW_EPISODE)
    if not any(row["event"] == "ack" and row["acked_bytes"] for row in rows):
        fail("nothing was acknowledged:", rows[:5])
    return rows


def start(controller, options, seconds):
    """A sender in an emulated link, its controller watched."""
    inner = (f"'{WEIR}' kernel watch {controller} >'{CALLS}' & "
             f"'{sys.executable}' '{script('send.py', SEND)}' $WEIR_PEER {seconds}")
    return subprocess.Popen(
        [WEIR, "link", "-q", "--rate", "20Mbit/s", "--delay", "10ms", *options, "--isolated", "--beyond",
         f"'{sys.executable}' '{script('take.py', TAKE)}'", "--", WEIR, "kernel", "run", controller, "-q", "--", "sh", "-c",
         inner], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process, may=(0, 4)):
    _, said = process.communicate(timeout=60)
    if process.returncode not in may:
        fail("exit", process.returncode, said)
    return calls()


def marks_are_told_as_marks():
    rows = finish(start("reno", ["--ecn", "--aqm", "red"], 3))
    marks = [row for row in rows if row["loss"] == "ecn"]
    if not any(row["new"] for row in marks):
        fail("no episode began with a mark:", collections.Counter(row["event"] for row in rows))
    if any(row["new"] and not row["lost_bytes"] for row in marks):
        fail("a mark without bytes")
    # an ACK that echoes a mark says so as well
    if not any(row["ce_bytes"] for row in rows if row["event"] == "ack"):
        fail("no ACK tells of marked bytes")


def drops_of_the_own_device_are_no_marks():
    """A shaper on the sending interface: the kernel enters CWR for each packet that it refuses."""
    inner = (f"ip link set lo up && tc qdisc add dev lo root tbf rate 40mbit burst 70kb limit 90kb && "
             f"sysctl -qw net.ipv4.tcp_ecn=1 && '{sys.executable}' '{script('take.py', TAKE)}' & sleep .3; "
             f"'{WEIR}' kernel watch reno >'{CALLS}' & '{sys.executable}' '{script('send.py', SEND)}' 127.0.0.1 2")
    done = subprocess.run([WEIR, "kernel", "run", "reno", "-q", "--", "unshare", "-n", "sh", "-c", inner], timeout=60,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        fail("exit", done.returncode, done.stderr)
    rows = calls()
    if not any(row["new"] and row["loss"] == "packet" for row in rows):
        fail("no drop was told:", collections.Counter(row["event"] for row in rows))
    if any(row["loss"] == "ecn" for row in rows):
        fail("a drop was told as a mark")


def a_needless_timeout_is_undone():
    """The link stands still for longer than the retransmission timer, and loses nothing."""
    for _ in range(TRIES):
        process = start("reno", [], 4)
        end = time.monotonic() + 20
        while not (os.path.exists(CALLS) and os.path.getsize(CALLS) > 100000) and time.monotonic() < end:
            time.sleep(.05)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(.7)
        os.kill(process.pid, signal.SIGCONT)
        rows = finish(process)
        os.unlink(CALLS)
        sender = [row for row in rows if row["local_port"] == max(
            collections.Counter(r["local_port"] for r in rows if r["acked_bytes"] > 1000).items(), key=lambda x: x[1])[0]]
        for i, row in enumerate(sender):
            if row["event"] != "timeout":
                continue
            if row["cwnd_bytes"] > row["mss_bytes"] or row["kernel_cwnd_packets"] != 1:
                fail("a timeout leaves", row)
            before = max(r["cwnd_bytes"] for r in sender[max(0, i - 20):i])
            undone = [r for r in sender[i:] if r["loss"] == "spurious"]
            if undone and undone[0]["cwnd_bytes"] < before:
                fail("undone to", undone[0]["cwnd_bytes"], "of", before)
            if undone:
                return
    fail("no timeout was undone in", TRIES, "tries")


def heavy_loss_is_survived():
    rows = finish(start("cubic", ["--loss", "20%"], 5))
    events = collections.Counter(row["event"] for row in rows)
    if not events["timeout"] or not any(row["new"] for row in rows):
        fail("one loss in five, and no timeout or no episode:", events)
    if any(not row["kernel_cwnd_packets"] for row in rows):
        fail("a window of nothing")
    # delivered never steps back
    last = {}
    for row in rows:
        if row["delivered_bytes"] < last.get(row["socket"], 0):
            fail("delivered steps back:", row)
        last[row["socket"]] = row["delivered_bytes"]


def main():
    have = subprocess.run([WEIR, "link", "-q", "--isolated", "--", WEIR, "kernel", "run", "-q", "reno", "--", "true"],
                          capture_output=True, text=True, timeout=60, check=False)
    if have.returncode not in (0, 4):  # 4: not a faithful link, which does not matter here
        print(have.stderr.strip() or "no links or no kernel controllers here")
        sys.exit(77)
    for test in (marks_are_told_as_marks, drops_of_the_own_device_are_no_marks, a_needless_timeout_is_undone,
                 heavy_loss_is_survived):
        test()
        print("ok", test.__name__)


main()
