#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir model as a user meets it: the documents of the design, the figures of the issue, every mistake exit 2."""
import json
import os
import subprocess
import sys
import tempfile

WEIR = os.path.realpath(sys.argv[1])


def weir(*arguments, code=0, says=()):
    done = subprocess.run([WEIR, "model", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    assert code == 0 or not done.stdout, (arguments, "stdout of a mistake", done.stdout)
    for words in [says] if isinstance(says, str) else says:
        assert words in done.stderr, (arguments, words, done.stderr)
    return done.stdout


def near(x, right, tolerance=6e-7):
    assert abs(x - right) <= tolerance, (x, right)


def throughput(*arguments):
    return json.loads(weir("throughput", *arguments, "--json"))


def test_figures_of_the_paper():
    path = ["--per", "1e-8", "--buffer", "4", "--rtt", "10ms"]
    literal = throughput("--controller", "agile-sd", *path, "--reading", "literal")
    assert list(literal)[:3] == ["schema", "controller", "reading"] and literal["schema"] == "weir.model/1", literal
    assert literal["controller"] == "agile-sd" and literal["reading"] == "literal", literal
    assert (literal["per"], literal["buffer_packets"], literal["rtt_ms"]) == (1e-8, 4, 10), literal
    assert literal["iterations"] == 10000 and literal["steady_iterations"] is None, literal
    near(literal["normalized_throughput"], .823313)
    renewal = throughput("--controller", "agile-sd", *path, "--reading", "renewal")
    near(renewal["normalized_throughput"], .830158)
    near(renewal["loss_free_epoch_rtts"], 327.8, .06)
    for name in ("reno", "newreno"):
        near(throughput("--controller", name, *path)["normalized_throughput"], .750619)
    # everything absent is Table I; buffers in any unit
    assert throughput() == literal
    for buffer in ("4 packets", "4kB", "32us", ".0032BDP"):
        assert throughput("--buffer", buffer) == literal, buffer
    near(throughput("--per", "1e-3", "--clamp", "off")["normalized_throughput"], .033886)
    near(throughput("--down", "window")["normalized_throughput"], .823323)


def test_distribution():
    d = throughput("--reading", "two-state", "--per", "1e-5", "--distribution")
    law = d["distribution"]
    assert len(law["window_packets"]) == len(law["probability"]) == len(law["time_share"]), len(law["probability"])
    near(sum(law["probability"]), 1, 1e-9)
    near(sum(w * p for w, p in zip(law["window_packets"], law["time_share"])), d["mean_window_packets"], 1e-6)
    assert "distribution" not in throughput("--reading", "two-state")
    assert len(weir("throughput", "--distribution").splitlines()) > 1253


def test_bad_parameters():
    for option, value, words in [
            ("beta", "1", "beta 1"), ("beta", "0", "beta 0"), ("beta", "nan", "--beta"),
            ("lambda-max", ".5", "lambda_max 0.5"), ("lambda-max", "inf", "--lambda-max"),
            ("lambda-max", "1e300", "--lambda-max"), ("lambda-min", "7", "lambda_max 5"),
            ("per", "2", "PER 2"), ("per", "nan", "--per"), ("per", "-1", "--per"), ("per", "1e300", "--per"),
            ("rtt", "0", "--rtt must be above 0"), ("rtt", "0ms", "--rtt must be above 0"), ("rtt", "10", "no unit"),
            ("rtt", "1000h", "has room for 10000000"), ("buffer", "1e15", "has room for 10000000"),
            ("buffer", "x", "--buffer"), ("rate", "0", "--rate must be above 0"), ("packet", "0B", "--packet"),
            ("packet", "1GB", "at most 1 MB"), ("min-window", "0", "min_window 0"),
            ("min-window", "1254", "smallest window"), ("iterations", "0", "--iterations"),
            ("iterations", "99999999999999999999", "--iterations"), ("reading", "literel", "did you mean literal?"),
            ("controller", "cubic", "agile-sd, reno or newreno"), ("loss", "two", "one, ge1 or lin"),
            ("clamp", "maybe", "off or on")]:
        weir("throughput", f"--{option}", value, code=2, says=words)
    weir("throughput", "--rtt", "70s", "--iterations", "10000000", code=2, says="iterations of")
    weir("throughput", "--reading", "epoch", "--loss", "ge1", code=2, says="changes nothing in the reading epoch")
    weir("throughput", "--controller", "reno", "--lambda-max", "3", code=2, says="belongs to agile-sd")
    # all at once
    weir("throughput", "--per", "y", "--rtt", "z", "--beta", "q", code=2, says=["--per", "--rtt", "--beta"])


def test_long_chains_finish():
    """100 ms: 12,503 states; 8 s: a million."""
    near(throughput("--rtt", "100ms")["normalized_throughput"], .679531)
    for reading in ("renewal", "two-state"):
        d = throughput("--rtt", "8s", "--reading", reading)
        assert d["window_packets"] == 1000004 and 0 < d["normalized_throughput"] < 1, d


def test_tune():
    d = json.loads(weir("tune", "--reading", "renewal", "--tolerance", ".02", "--json"))
    assert d["schema"] == "weir.model-tune/1" and len(d["rows"]) == 10, d
    assert [r["beta"] for r in d["rows"]] == [.5, .55, .6, .65, .7, .75, .8, .85, .9, .95], d["rows"]
    assert [r["eq36"] for r in d["rows"]] == [6, 6, 5, 5, 5, 4, 4, 3, 3, 3], d["rows"]
    assert all(row["optimum"] <= 10 and len(row["normalized_throughput"]) == 10 for row in d["rows"]), d
    # as printed the largest wins everywhere, and the text says that eq. 36 does not follow
    text = weir("tune", "--betas", ".5,.7", "--lambdas", "1,5,10")
    assert [line.split()[-2:] for line in text.splitlines()[3:5]] == [["10", "6"], ["10", "5"]], text
    assert "it does not follow" in text, text
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out")
        weir("tune", "--reading", "renewal", "--betas", ".5:.6:.05", "-o", out)
        assert sorted(os.listdir(out)) == ["manifest.json", "report.html", "tune.json"], os.listdir(out)
        with open(os.path.join(out, "report.html"), encoding="utf-8") as page:
            html = page.read()
        assert html.count("<svg") == 3 and "http://" not in html and "it does not follow" in html
        # what is not a result is left alone
        weir("tune", "--reading", "renewal", "-o", scratch, code=2)


def test_tune_mistakes():
    for option, value in [("betas", ".9,.5"), ("betas", "nan"), ("betas", ".5:.9"), ("betas", ".5:.9:1e-9"),
                          ("betas", ".5:.9:0"), ("betas", "1"), ("betas", ",,"), ("lambdas", "0:5:1"),
                          ("lambdas", "1:1e300:1"), ("lambdas", ""), ("tolerance", "5"), ("tolerance", "nan"),
                          ("seeds", "3"), ("per", "2")]:
        weir("tune", f"--{option}", value, code=2)


def test_tune_verified():
    """Model and simulation within a tenth, where the buffer takes what lambda_max adds in a round."""
    d = json.loads(weir("tune", "--reading", "two-state", "--rate", "100Mbit/s", "--buffer", "16", "--betas", ".5",
                        "--lambdas", "1:8:1", "--verify", "--seeds", "3", "--duration", "60s", "--json"))
    assert [v["name"] for v in d["verify"]] == ["newreno", "default", "tuned"], d["verify"]
    for v in d["verify"]:
        assert v["n"] == 3 and v["ci95"][0] <= v["simulation"] <= v["ci95"][1], v
        assert abs(v["residual"]) < .1 * v["model"], v


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
