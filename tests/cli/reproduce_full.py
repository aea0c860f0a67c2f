#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# All simulated points of all experiments of the two papers, with all seeds: no claim misses but for a reason that its file
# tells.
import json
import os
import subprocess
import sys

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]

for paper, claims_at_least in (("jacobson", 60), ("agile-sd", 100)):
    run = subprocess.run([program, "reproduce", paper, "--json"], cwd=root, capture_output=True, text=True, timeout=3500)
    claims = [(e["name"], c) for e in json.loads(run.stdout or '{"experiments": []}')["experiments"] for c in e["claims"]]
    wrong = [(name, c["id"], c["measured"], c["band"]) for name, c in claims if c["verdict"] not in ("holds", "explained")]
    assert run.returncode == 0 and not wrong, (paper, run.returncode, wrong, run.stderr)
    assert len(claims) >= claims_at_least, (paper, len(claims))
