# SPDX-License-Identifier: MIT
"""What a report costs the detector and the pilots, and what an ACK costs the governor."""
import os
import subprocess

from rows import row

UNITS = {"detector": "ns of CPU a report", "pilot": "ns of CPU a report", "governor": "ns of CPU an ACK"}
GOALS = {"detector": 2500.0, "governor": 200.0}


def pilot_rows(root):
    build = os.path.join(root, "build")
    subprocess.run(["ninja", "-C", build, "bench/bench-pilot"], check=True, stdout=subprocess.DEVNULL)
    out = subprocess.run([os.path.join(build, "bench", "bench-pilot")], check=True, capture_output=True, text=True).stdout
    return [row(f"pilot-{name.removeprefix('pilot-')}", float(value), UNITS[name.split("-")[0]], GOALS.get(name), None,
                False) for name, value in (line.split() for line in out.splitlines())]
