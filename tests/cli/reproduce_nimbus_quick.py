#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# All experiments of Nimbus, quickly: no claim misses but for a reason that its file tells.
import json
import os
import subprocess
import sys

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]

run = subprocess.run([program, "reproduce", "nimbus", "--quick", "--json"], cwd=root, capture_output=True, text=True,
                     timeout=1800)
claims = [(e["name"], c) for e in json.loads(run.stdout or '{"experiments": []}')["experiments"] for c in e["claims"]]
wrong = [(name, c["id"], c["measured"], c["band"]) for name, c in claims if c["verdict"] not in ("holds", "explained")]
assert run.returncode == 0 and not wrong, (run.returncode, wrong, run.stderr)
assert len(claims) >= 150, len(claims)
assert sum(c["verdict"] == "holds" for _, c in claims) >= 100, len(claims)
