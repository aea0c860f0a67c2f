#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The Agile-SD paper, a smoke of its experiments: the model alone, model against simulation over errors and round-trip
# times, and the cascade over a buffer of 4 packets with what explains it. The whole: reproduce_full.py.
import json
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]


def reproduce(*arguments):
    run = subprocess.run([program, "reproduce", *arguments, "--quick", "--json"], cwd=root, capture_output=True, text=True,
                         timeout=110)
    assert run.returncode == 0, (run.returncode, run.stderr)
    experiments = json.loads(run.stdout)["experiments"]
    return {e["name"].split("/")[1]: {c["id"]: c for c in e["claims"]} for e in experiments}


def verdicts(claims, which):
    return {name for name, c in claims.items() if c["verdict"] == which}


listed = subprocess.run([program, "list", "experiments", "--json"], cwd=root, capture_output=True, text=True, check=True)
names = {e["name"] for e in json.loads(listed.stdout)["experiments"]}
for name in ("growth", "convergence", "error-rate", "small-buffer", "buffer", "rtt", "long-rtt", "lambda-max", "tuning"):
    assert "agile-sd/" + name in names, names

with tempfile.TemporaryDirectory() as folder:
    found = reproduce("agile-sd/convergence", "agile-sd/error-rate", "agile-sd/rtt", "-o", folder + "/out")
    assert sum(len(claims) for claims in found.values()) >= 20, found.keys()
    assert verdicts(found["convergence"], "explained") == {"steady-1e-7"}
    assert found["convergence"]["steady-1e-6"]["measured"] == 4415
    assert verdicts(found["error-rate"], "explained") == {"literal: 1e-4, agile-sd", "literal: 1e-3, agile-sd",
                                                          "literal-tie"}
    assert verdicts(found["rtt"], "explained") == {"epoch-over-rtt"}
    page = open(folder + "/out/report.html", encoding="utf-8").read()
    # Curves have dots where something was run, lines where the model speaks; the chain over its iterations is wide.
    assert page.count("<h3>Throughput over the error rate</h3>") == 1
    assert page.count('class="drawing"') == 2, page.count('class="drawing"')
    for outside in ("http://", "https://", "<script src"):
        assert outside not in page.replace("http://www.w3.org", ""), outside

found = reproduce("agile-sd/small-buffer", "--at", "buffer=4 packets", "--at", "controller=newreno,agile-sd,paced")
assert verdicts(found["small-buffer"], "explained") == {"buffer-4", "never-below-newreno-4"}, found
assert verdicts(found["small-buffer"], "holds") >= {"buffer-4-newreno", "cascade", "pacing", "pacing-no-cascade"}, found
