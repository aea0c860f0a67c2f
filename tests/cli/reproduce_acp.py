#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The experiments of ACP+, quickly: every claim is judged, none misses, and the page draws the process of the age.
import json
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]

with tempfile.TemporaryDirectory() as folder:
    run = subprocess.run([program, "reproduce", "acp", "--quick", "--json", "-o", folder + "/out"], cwd=root,
                         capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stderr
    experiments = json.loads(run.stdout)["experiments"]
    claims = {(e["name"], c["id"]): c for e in experiments for c in e["claims"]}
    assert len(experiments) >= 8 and len(claims) >= 50, (len(experiments), len(claims))
    wrong = [(name, c["measured"]) for name, c in claims.items() if c["verdict"] not in ("holds", "explained")]
    assert not wrong, wrong

    def near(name, claim, value, tolerance):
        measured = claims["acp/" + name, claim]["measured"]
        assert abs(measured / value - 1) <= tolerance, (name, claim, measured)

    # Kaul, Yates and Gruteser 2012; a tandem by arithmetic; 2 x 564 x 8 / 1e6 + T/2 (1 + p)/(1 - p).
    near("section5", "mm1", 3.484, .02)
    near("section5", "md1", 2.954, .02)
    near("section5", "dm1", 2.253, .02)
    near("tandem", "age-6", 6.5, .001)
    near("fig2", "udp-age", 12.47, .01)
    page = open(folder + "/out/report.html", encoding="utf-8").read()
    assert "From near, through one, two and six queues" in page
    for outside in ("http://", "https://", "<script src"):
        assert outside not in page.replace("http://www.w3.org", ""), outside
