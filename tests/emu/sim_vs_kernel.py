#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""experiments/weir/sim-vs-kernel, three emulated runs of it: reno, cubic and vegas in the kernel against their own
simulation. sim_vs_kernel_long.py makes all of them."""
import json
import os
import sys

from run_common import INVALID, WEIR, Skipped, check, main, nothing_left, path, read_json, write
import outside

FILE = os.path.join(os.environ["SOURCE_ROOT"], "experiments/weir/sim-vs-kernel.yaml")
# A slow link with a long way is the one that a busy machine can carry.
AT = ["--at", "rate=12 Mbit/s", "--at", "rtt=50 ms", "--at", "buffer=2 BDP", "--at", "flows=alone", "--at",
      "host=sim,kernel"]
MOST_S = 120


def reproduce(file, folder, *options, timeout_s=MOST_S):
    """(exit status, the experiment's results, stderr)"""
    done = outside.run([WEIR, "reproduce", file, "--on", "emu", "-o", folder, "--json", *options], timeout_s)
    check(done.returncode in (0, INVALID, 5), options, "exit", done.returncode, done.stderr)
    return done.returncode, json.loads(done.stdout)["experiments"][0], done.stderr


def tell(experiment):
    for c in experiment["claims"]:
        print(f"{c['verdict']:9} {c['id']}: {c['measured']} {c['unit']} {c['reason'] or ''}")


def judge(code, experiment):
    tell(experiment)
    misses = [c["id"] for c in experiment["claims"] if c["verdict"] == "misses"]
    check(not misses, "misses:", misses)
    if code == INVALID:
        raise Skipped(next(c["reason"] for c in experiment["claims"] if c["verdict"] == "invalid"))


def three_runs_agree_with_their_simulation():
    with open(FILE, encoding="utf-8") as f:
        text = f.read()
    shorter = text.replace("duration: 12 s", "duration: 8 s")
    check(shorter != text, "the experiment has another duration than this test thinks")
    folder = path("three")
    code, experiment, _ = reproduce(write("sim-vs-kernel.yaml", shorter), folder, *AT)
    check(experiment["backend"] == "emu", experiment["backend"])
    check(len(experiment["claims"]) == 6, len(experiment["claims"]), "claims")
    judge(code, experiment)
    check(read_json(folder, "manifest.json")["backend"] == "emu", "manifest")
    # the same again is there already
    code, again, err = reproduce(path("sim-vs-kernel.yaml"), folder, *AT, timeout_s=20)
    check(code == 0 and again == experiment and "6 of 6 runs had been made before" in err, code, err)
    nothing_left()


if __name__ == "__main__":
    sys.exit(main(three_runs_agree_with_their_simulation))
