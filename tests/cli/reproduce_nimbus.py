#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The experiments of Nimbus, quickly: no claim misses without a reason. Of the experiments some,
# which take seconds: modes beside elastic, mixed and inelastic traffic, Copa's errors, several flows.
import json
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]
some = ["nimbus/cross-rtt", "nimbus/copa-errors", "nimbus/three-flows"]

with tempfile.TemporaryDirectory() as folder:
    run = subprocess.run([program, "reproduce", *some, "--quick", "--json", "-o", folder + "/out"], cwd=root,
                         capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stderr
    experiments = json.loads(run.stdout)["experiments"]
    claims = {(e["name"], c["id"]): c for e in experiments for c in e["claims"]}
    assert len(claims) >= 20, len(claims)
    wrong = [(name, c["measured"]) for name, c in claims.items() if c["verdict"] not in ("holds", "explained")]
    assert not wrong, wrong

    # What no excuse may reach: the mode is right where the paper's abstract says so.
    assert claims["nimbus/cross-rtt", "elastic: 50 ms, dwell"]["measured"] >= .98
    assert claims["nimbus/cross-rtt", "inelastic: paper"]["measured"] >= .98
    assert claims["nimbus/copa-errors", "nimbus-80"]["measured"] >= .95
    assert claims["nimbus/copa-errors", "copa-80"]["measured"] <= .2
    page = open(folder + "/out/report.html", encoding="utf-8").read()
    assert "Cross traffic with another round trip" in page
    for outside in ("http://", "https://", "<script src"):
        assert outside not in page.replace("http://www.w3.org", ""), outside
