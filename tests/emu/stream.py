#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stream.py ADDRESS PORT SECONDS CONTROLLER: sends over kernel TCP with the named congestion control, as much as
goes, and prints what the kernel says of the connection in the end. The other end is outside.Stream."""
import socket
import struct
import sys
import time

SO_SNDBUFFORCE, TCP_CONGESTION, TCP_INFO = 32, 13, 11
SNDBUF_BYTES = 40_000_000  # above any window here; the kernel's own growth stops at tcp_wmem


def main(address, port, seconds, controller):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as s:
        s.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, controller.encode())
        s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SNDBUF_BYTES)
        s.connect((address, int(port)))
        until, data = time.monotonic() + float(seconds), bytes(1 << 18)
        while time.monotonic() < until:
            s.send(data)
        # struct tcp_info, linux/tcp.h: tcpi_total_retrans is its 24th u32 after 8 bytes.
        retransmitted, = struct.unpack_from("I", s.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 104), 8 + 4 * 23)
        print(retransmitted)
        s.shutdown(socket.SHUT_WR)
        s.settimeout(10)
        s.recv(1)  # the end: all has been read over there


main(*sys.argv[1:])
