#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: a kernel TCP connection (cubic) through it, in windows of 100 ms at its far end."""
import socket
import sys
import threading
import time

from link_common import TRIES, Skipped, check, main, python, verdict_of

CEILING = 1448 / 1500  # payload of a packet with time stamps
WINDOW_S = 0.1
SENDER = """
import os, socket, sys, time
s = socket.socket()
s.setsockopt(socket.IPPROTO_TCP, 13, b"cubic")
s.connect((os.environ["WEIR_PEER"], 7000))
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until: s.send(bytes(1 << 17))
"""


def receive(listener, came_bytes):
    connection, _ = listener.accept()
    connection.settimeout(5)
    started, room = time.monotonic(), bytearray(1 << 20)
    with connection:
        try:
            while got := connection.recv_into(room):
                window = int((time.monotonic() - started) / WINDOW_S)
                came_bytes[window] = came_bytes.get(window, 0) + got
        except TimeoutError:
            pass  # the link is gone, and the end of the stream with it


def share_of_the_ceiling(rate_bps, seconds=7, from_s=3):
    """(share, verdict) of the first run that the link stands to."""
    for _ in range(TRIES):
        came_bytes = {}
        with socket.create_server(("", 7000)) as listener:
            listener.settimeout(20)
            receiver = threading.Thread(target=receive, args=(listener, came_bytes))
            receiver.start()
            _, verdict = verdict_of(["--rate", f"{rate_bps}bit/s"], ["--delay", "10ms"],
                                    command=python(SENDER, str(seconds)), timeout_s=40)
            receiver.join()
        rates = [came_bytes.get(i, 0) * 8 / WINDOW_S for i in range(round(from_s / WINDOW_S), round(seconds / WINDOW_S))]
        share = sum(rates) / len(rates) / rate_bps / CEILING
        print(f"{rate_bps / 1e6:g} Mbit/s: {share:.2%} of the ceiling, {verdict['verdict']}: {verdict['reason']}",
              flush=True)
        if verdict["verdict"] != "invalid":
            return share, verdict
    raise Skipped(f"TCP at {rate_bps / 1e6:g} Mbit/s: invalid {TRIES} times: {verdict['reason']}")


def tcp_fills_the_link():
    """A drop-tail buffer of 1 BDP is what cubic needs to keep a link busy while it backs off to .7 of its window. What
    was asked bounds it from above: it holds within .2 %."""
    share, verdict = share_of_the_ceiling(100_000_000)
    check(0.95 <= share <= 1.002, share)
    check(verdict["overruns"] == 0, verdict)


if __name__ == "__main__":
    sys.exit(main(tcp_fills_the_link))
