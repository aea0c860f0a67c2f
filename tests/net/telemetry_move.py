#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""telemetry_move.py WEIR: the address from which a source speaks goes, and another one comes, as when a laptop changes
networks. In a network namespace of its own. Root."""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from telemetry_common import Failed, Monitor, Source, check, never_backwards  # noqa: E402

FRESH_S = 3.5 + 6  # 3 s, and what a busy machine adds


def ip(*words):
    subprocess.run(["ip", *words], check=True, timeout=20)


def speak_from(address):
    """What goes to the monitor's address leaves from this one."""
    ip("addr", "add", address + "/32", "dev", "lo")
    ip("route", "replace", "local", "10.9.0.1", "dev", "lo", "src", address, "table", "local")


def moves():
    ip("link", "set", "lo", "up")
    ip("addr", "add", "10.9.0.1/32", "dev", "lo")
    speak_from("10.9.0.2")
    with Monitor("--insecure", address="10.9.0.1:0") as m, Source(m.address, "--insecure", "--id", "s") as s:
        m.wait(lambda v: int(v["value"]) > 10)
        for old, new in (("10.9.0.2", "10.9.0.3"), ("10.9.0.3", "10.9.0.4")):
            speak_from(new)
            ip("addr", "del", old + "/32", "dev", "lo")
            mark, since = s.n, time.monotonic()
            m.wait(lambda v, mark=mark: int(v["value"]) > mark + 60)
            took = time.monotonic() - since
            print(f"60 values after the move to {new}: {took:.2f} s", flush=True)
            check(took < FRESH_S + 60 * .02, "slow", took)
        summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check(summary["settled"], summary)
        check(summary["events"]["path_changes"] >= 2, "the source did not notice", summary)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("not root: no namespaces")
        sys.exit(77)
    if os.environ.get("WEIR_TEST_MOVED") != "1":
        os.environ["WEIR_TEST_MOVED"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable] + sys.argv)
    try:
        moves()
    except Failed as failure:
        print("FAILED:", failure)
        sys.exit(1)
