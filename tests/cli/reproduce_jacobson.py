#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The experiments of 1988, quickly: every claim is judged, none misses, and the page draws the conversations.
import json
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1], os.environ["SOURCE_ROOT"]

with tempfile.TemporaryDirectory() as folder:
    run = subprocess.run([program, "reproduce", "jacobson", "--quick", "--json", "-o", folder + "/out"], cwd=root,
                         capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    experiments = json.loads(run.stdout)["experiments"]
    claims = [(e["name"], c) for e in experiments for c in e["claims"]]
    assert len(experiments) >= 8 and len(claims) >= 20, (len(experiments), len(claims))
    wrong = [(name, c["id"], c["measured"]) for name, c in claims if c["verdict"] == "misses"]
    assert not wrong, wrong
    explained = {c["id"] for name, c in claims if c["verdict"] == "explained"}
    assert explained == {"before-starved", "after-loss-ratio", "after-how-much-faster"}, explained
    page = open(folder + "/out/report.html", encoding="utf-8").read()
    assert page.count('class="drawing"') >= 12, page.count('class="drawing"')
    before = page[page.index("Before: four conversations"):page.index("After: the same four")]
    after = page[page.index("After: the same four"):page.index("Total bandwidth")]
    # A dot is "h0": 11000 packets before, 8192 and some after, and what falls back has a path of its own.
    assert 11000 <= before.count("h0") <= 11100, before.count("h0")
    assert 8220 <= after.count("h0") <= 8310, after.count("h0")
    assert 'class="again" d="M' in before
    for outside in ("http://", "https://", "<script src"):
        assert outside not in page.replace("http://www.w3.org", ""), outside

    # One run closer: its packets, and the drawing of them in its report.
    run = subprocess.run([program, "run", "scenarios/1988.yaml", "--sends", "-o", folder + "/one"], cwd=root,
                         capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    rows = open(folder + "/one/sends.csv", encoding="utf-8").read().splitlines()
    sent = json.load(open(folder + "/one/summary.json", encoding="utf-8"))["packets"]
    assert rows[0] == "time_s,flow,first_byte,bytes,again" and len(rows) == sent + 1, (len(rows), sent)
    assert rows[1] == "0,new-1,0,512,0", rows[1]
    page = open(folder + "/one/report.html", encoding="utf-8").read()
    assert page[page.index("Sequence numbers"):].count("h0") == sent
