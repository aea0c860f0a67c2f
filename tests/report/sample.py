# SPDX-License-Identifier: MIT
"""Directories as `weir run` leaves them, made up from closed forms: what the tests of the report look at.

    sample.py KIND DIR     KIND: two, many, side, hostile, tiny"""
import json
import math
import os
import sys

CAPACITY = 96e6


def flow(name, controller, rate, delay, lost=12):
    spread = {"min": delay, "mean": delay * 1.6, "p50": delay * 1.5, "p95": delay * 2.4, "p99": delay * 2.8,
              "max": delay * 3}
    return {"name": name, "path": "main", "controller": controller, "application": "bulk", "start_s": 0,
            "active_s": 30, "goodput_bps": rate * .965, "throughput_bps": rate,
            "rtt_ms": {k: v + 50 for k, v in spread.items()}, "queue_delay_ms": spread, "packets_sent": 120000,
            "packets_lost": lost, "retransmitted": lost, "loss_fraction": lost / 120000, "timeouts": 0,
            "recoveries": 3, "spurious": 0, "ce_packets": 0, "backlog_mean": 400.0, "cwnd_mean_bytes": 600000.0,
            "age_ms": None, "signals": {"ssthresh_bytes": {"mean": 420000, "last": 400000}}}


def link(name, utilization=.988):
    return {"name": name, "capacity_bps": CAPACITY, "throughput_bps": CAPACITY * utilization,
            "utilization": utilization, "packets": 240000, "drops": 24,
            "drops_by": {"overflow": 24, "aqm": 0, "policer": 0, "loss": 0}, "marks": 0, "queue_mean_bytes": 4e5,
            "queue_max_bytes": 1.2e6,
            "queue_delay_ms": {"min": 0, "mean": 52, "p50": 54, "p95": 96, "p99": 99, "max": 100}}


def summary(title, flows, links, seconds=30):
    rates = [f["throughput_bps"] for f in flows]
    jain = sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) if rates else None
    return {"schema": "weir.summary/1", "scenario": "sample", "title": title, "backend": "sim", "seed": 1,
            "version": "0.1.0", "wall_s": .05, "simulated_s": seconds, "interrupted": False, "warmup_s": 0,
            "sampling_s": .02, "events": 1000000, "packets": 240000, "emulation": None, "notes": [],
            "flows": flows, "groups": [], "links": links, "fct_ms": [],
            "fairness": {"jain_throughput": jain, "jain_age": None}}


def quoted(name):
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"') else name


def rows_of(t, flows, capacity, rng):
    """One sampling instant: a sawtooth of shares, a queue that follows, a loss at each tooth."""
    tooth = t % 6 / 6
    queue = 1.2e6 * tooth
    yield "link:bottleneck", "capacity_bps", capacity(t)
    yield "link:bottleneck", "utilization", min(1, .9 + .2 * tooth)
    yield "link:bottleneck", "queue_bytes", round(queue)
    yield "link:bottleneck", "queue_delay_ms", queue * 8 / CAPACITY * 1e3
    yield "link:bottleneck", "drops", 8 if tooth < .02 / 6 else 0
    for i, name in enumerate(flows):
        share = capacity(t) / len(flows) * (1 + .3 * math.sin(t / 3 + 2 * math.pi * i / len(flows)))
        share *= 1 + .04 * (rng() - .5)
        delay = queue * 8 / CAPACITY * 1e3
        yield name, "throughput_bps", round(share)
        yield name, "goodput_bps", round(share * .965)
        yield name, "rtt_ms", round(50 + delay + rng(), 3)
        yield name, "queue_delay_ms", round(delay, 3)
        yield name, "srtt_ms", round(50 + delay, 3)
        yield name, "cwnd_bytes", round(share * (50 + delay) / 8e3)
        yield name, "inflight_bytes", round(share * (50 + delay) / 8e3 * .97)
        yield name, "pacing_bps", round(share * 1.2)
        yield name, "cc.ssthresh_bytes", 400000 + 1000 * i
        yield name, "cc.k_ms", round(1000 * tooth, 1)
        yield name, "cc.mode", int(tooth > .5)
        yield name, "lost", 4 if tooth < .02 / 6 else 0
        yield name, "retransmitted", 4 if .02 / 6 <= tooth < .04 / 6 else 0


def write(directory, doc, capacity=lambda t: CAPACITY, step=.02, late=None, scenario="title: sample\n"):
    os.makedirs(directory, exist_ok=True)
    flows = [f["name"] for f in doc["flows"]]
    state = [12345]

    def rng():
        state[0] = (1103515245 * state[0] + 12345) % 2 ** 31
        return state[0] / 2 ** 31

    with open(os.path.join(directory, "summary.json"), "w", encoding="utf-8") as f:
        json.dump(doc, f)
    with open(os.path.join(directory, "manifest.json"), "w", encoding="utf-8") as f:
        json.dump({"schema": "weir.manifest/1", "arguments": ["weir", "run", "sample.yaml", "--seed", "1"],
                   "scenario_text": scenario}, f)
    with open(os.path.join(directory, "series.csv"), "w", encoding="utf-8") as f:
        f.write("time_s,flow,signal,value\n")
        for k in range(1, round(doc["simulated_s"] / step) + 1):
            t = round(k * step, 6)
            for name, signal, value in rows_of(t, flows, capacity, rng):
                if late and name == late and 10 < t < 15:
                    continue
                f.write(f"{t},{quoted(name)},{signal},{value}\n")


def lte(t):
    return CAPACITY * (.55 + .35 * math.sin(t) * math.sin(t / 5)) * (.15 if 12 < t < 13.5 else 1)


def chooses(f, words):
    f["signals"]["mode"] = {"mean": .5, "last": 1, "words": words}


def two(directory):
    """Of one flow the mode is a choice, of the other a number."""
    flows = [flow("cubic-1", "cubic", 49e6, 36), flow("vegas-1", "vegas", 45e6, 4, 0)]
    chooses(flows[0], ["delay", "competitive"])
    write(directory, summary("Two flows on a link that varies", flows, [link("bottleneck")]), lte, late="vegas-1")


def many(directory):
    flows = [flow(f"cubic-{i}", "cubic", 9e5 + 1e3 * i, 36) for i in range(1, 61)]
    flows += [flow(f"reno-{i}", "reno", 7e5 + 1e3 * i, 30) for i in range(1, 41)]
    write(directory, summary("A hundred flows", flows, [link("bottleneck")]), step=.1)


def side(directory):
    os.makedirs(directory, exist_ok=True)
    runs = []
    for i, (name, rate, delay) in enumerate((("cubic", 94e6, 40), ("vegas", 91e6, 3), ("reno", 88e6, 28))):
        doc = summary("Three controllers on one link", [flow("main", name, rate, delay, 20 * i)],
                      [link("bottleneck", rate / CAPACITY)])
        write(os.path.join(directory, f"run-{i + 1}"), doc, lte)
        runs.append(doc)
    with open(os.path.join(directory, "summary.json"), "w", encoding="utf-8") as f:
        json.dump({"schema": "weir.run/1", "runs": runs}, f)


HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "__proto__", "a,b\"c",
           "\u202eevil\u2069 & 'quotes'"]


def hostile(directory):
    flows = [flow(name, "<b>cubic</b>", 2e7, 30) for name in HOSTILE]
    for f in flows:
        chooses(f, HOSTILE[:2])
    doc = summary("</title><script>alert(3)</script>", flows, [link("bottleneck")])
    doc["notes"] = ["<script>alert(4)</script>"]
    write(directory, doc, step=.1, scenario="title: </pre><script>alert(5)</script>\n")


def tiny(directory):
    """Two samples of one flow, hardly any number known."""
    only = flow("only", None, 1e6, 1, 0)
    only.update(rtt_ms=None, queue_delay_ms=None, loss_fraction=None, controller=None)
    doc = summary("", [only], [], seconds=.04)
    doc.update(wall_s=None, fairness={"jain_throughput": None, "jain_age": None})
    write(directory, doc)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    {"two": two, "many": many, "side": side, "hostile": hostile, "tiny": tiny}[sys.argv[1]](sys.argv[2])
