# SPDX-License-Identifier: MIT
"""A monitor on one core beside a bare recvmmsg/sendmmsg echo of the same datagrams, and the memory of a million
sources."""
import json
import os
import subprocess

from rows import row

SHARE_GOAL = .6
MILLION_GOAL_MB = 400.0


def monitor_rows(root):
    build = os.path.join(root, "build")
    subprocess.run(["ninja", "-C", build, "bench/bench-monitor"], check=True, stdout=subprocess.DEVNULL)
    out = subprocess.run([os.path.join(build, "bench", "bench-monitor")], check=True, capture_output=True, text=True,
                         timeout=120).stdout
    found = json.loads(out)
    echo = found["echo_hz"]
    rows = [row("monitor-of-echo", found["monitor_hz"] / echo, "of a bare echo", SHARE_GOAL),
            row("monitor-plain", found["monitor_hz"] / 1e3, "kupdates/CPU-s", None, ("a bare echo", echo / 1e3))]
    if "dtls_hz" in found:
        rows.append(row("monitor-dtls", found["dtls_hz"] / 1e3, "kupdates/CPU-s", None, ("a bare echo", echo / 1e3)))
    rows.append(row("monitor-million-sources", found["million_sources_bytes"] / 1e6, "MB", MILLION_GOAL_MB, None, False))
    return rows
