#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu` with Weir's controllers in the kernel: which one the sockets have, others beside it,
and that nothing is left of it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import outside
from run_common import WEIR, Skipped, check, flow, main, path, series, start_run, valid, write

AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
WAIT_S = 10
ONE = """
duration: %s
paths: {main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 5 ms, buffer: 20 ms}]}}
flows:
  - {name: only, controller: %s}
"""

PILOTS = """
duration: 8 s
paths: {main: {hops: [{name: wire, rate: 24 Mbit/s, delay: 20 ms, buffer: 80 ms}]}}
flows:
  - {name: basic, path: main, controller: {name: nimbus, link_rate: 24 Mbit/s}}
  - {name: copa, path: main, controller: {name: nimbus, delay_mode: copa}}
  - {name: asks, path: main, controller: elasticity}
"""


def own_header():
    """A controller with a name that nobody else on this machine has."""
    with open(os.path.join(os.environ["SOURCE_ROOT"], "examples", "toy-aimd.h"), encoding="utf-8") as f:
        return write("own.h", f.read().replace("toy-aimd", NAME))


NAME = f"t{os.getpid()}"


def registered(prefix=""):
    return [word for word in AVAILABLE.read_text(encoding="ascii").split() if word.startswith(prefix)]


BEFORE = set(registered("weir_"))


def until(condition, *what):
    end = time.monotonic() + WAIT_S
    while not condition():
        check(time.monotonic() < end, *what)
        time.sleep(.05)


def sockets_of(process):
    """What ss says, from within, of the namespaces of a run's processes."""
    text = ""
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            text += subprocess.run(["nsenter", "-t", child, "-n", "ss", "-Htin"], text=True, timeout=10, check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return text


def a_plain_name_is_weirs_and_dies_with_the_run():
    for tool in ("nsenter", "ss"):
        if not shutil.which(tool):
            raise Skipped(f"no {tool}")
    before = set(registered("weir_vegas"))
    process = start_run(write("scenario.yaml", ONE % ("20 s", "vegas")), "-o", path("killed"))
    until(lambda: "weir_vegas" in sockets_of(process), "no socket has weir_vegas")
    check(set(registered("weir_vegas")) > before, "not registered", registered("weir_"))
    process.kill()
    process.communicate(timeout=10)
    until(lambda: set(registered("weir_vegas")) <= before, "left behind:", registered("weir_"))


def others_beside_it():
    """One loaded until it is unloaded, and two runs at a time: names beside it, and it stays."""
    header = own_header()
    subprocess.run([WEIR, "kernel", "load", header], check=True, timeout=60, stdout=subprocess.DEVNULL)
    try:
        file = write("scenario.yaml", ONE % ("3 s", "cubic"))
        runs = [start_run(file, "--controller", header, "-o", path(f"beside-{i}"), "--json") for i in range(2)]
        wanted = {f"weir_{NAME}", f"weir_{NAME}.2", f"weir_{NAME}.3"}
        until(lambda: set(registered(f"weir_{NAME}")) == wanted, "not all there:", registered(f"weir_{NAME}"))
        for r in runs:
            out, err = r.communicate(timeout=30)
            check(r.returncode in (0, 4), "exit", r.returncode, err)
            check(json.loads(out)["flows"][0]["controller"] == NAME, out)
        check(registered(f"weir_{NAME}") == [f"weir_{NAME}"], registered(f"weir_{NAME}"))
    finally:
        subprocess.run([WEIR, "kernel", "unload", NAME], check=True, timeout=60)


def pilots_drive_kernel_tcp():
    """Two governors with other parameters, under names beside each other; and what their pilots show."""
    summary, folder = valid("pilots", PILOTS)
    check([f["controller"] for f in summary["flows"]] == ["nimbus", "nimbus", "elasticity"], summary["flows"])
    for name in ("basic", "copa"):
        signals = flow(summary, name)["signals"]
        check(signals["mode"]["words"] == ["delay", "competitive"] and signals["base_bps"]["mean"] > 1e6, signals)
        check(len(series(folder, name, "cc.eta")) > 5, "no eta of", name)
        check(flow(summary, name)["goodput_bps"] > 1e6, name, flow(summary, name))
    check(not [note for note in summary["notes"] if "pilot" in note and "Reno" in note], summary["notes"])
    check(not [name for name in registered("weir_nimbus") + registered("weir_elast") if name not in BEFORE], registered("weir_"))


def without_the_right_it_says_what_is_missing():
    if not shutil.which("setpriv"):
        raise Skipped("no setpriv")
    less = ["setpriv", "--bounding-set", "-bpf,-sys_admin", "--inh-caps", "-bpf,-sys_admin"]
    file = write("scenario.yaml", ONE % ("300 ms", "vegas"))
    done = outside.run([*less, WEIR, "run", file, "--on", "emu", "--json"], 30)
    check(done.returncode == 3, "exit", done.returncode, done.stderr)
    for words in ("CAP_BPF", "kernel:cubic", "--on sim"):
        check(words in done.stderr and done.stderr.count("\n") == 1, "no word of", words, done.stderr)


if __name__ == "__main__":
    sys.exit(main(a_plain_name_is_weirs_and_dies_with_the_run, others_beside_it,
                  pilots_drive_kernel_tcp, without_the_right_it_says_what_is_missing))
