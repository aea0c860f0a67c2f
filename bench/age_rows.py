# SPDX-License-Identifier: MIT
"""What an ACK costs the source, an update the monitor, and what a source costs the monitor's memory."""
import os
import subprocess

from rows import row

UNITS = {"control": "ns of CPU an ACK", "exchange": "ns of CPU an update", "monitor": "ns of CPU an update",
         "bytes": "bytes a source"}
GOALS = {"control-acp-plus": 200.0, "bytes": 400.0}


def age_rows(root):
    build = os.path.join(root, "build")
    subprocess.run(["ninja", "-C", build, "bench/bench-age"], check=True, stdout=subprocess.DEVNULL)
    out = subprocess.run([os.path.join(build, "bench", "bench-age")], check=True, capture_output=True, text=True).stdout
    return [row(f"age-{name}", float(value), UNITS[name.split("-")[0]], GOALS.get(name), None, False)
            for name, value in (line.split() for line in out.splitlines())]
