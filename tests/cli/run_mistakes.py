#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir run: every way to fail has its exit code, says what is wrong, and leaves nothing half done."""
import os
import resource
import signal
import subprocess
import time

from run_common import *


def nothing_written():
    check(os.listdir(".") == ["two.yaml"], "left behind:", os.listdir("."))


def test_usage():
    weir("run", code=2, says="usage: weir run")
    weir("run", "two.yaml", "other.yaml", code=2)
    weir("run", "none.yaml", code=2, says="none.yaml")
    weir("run", "two.yaml", "--seed", "-1", code=2, says="--seed")
    weir("run", "two.yaml", "--seed", "99999999999999999999", code=2, says="--seed")
    weir("run", "two.yaml", "--repeat", "0", code=2, says="--repeat")
    weir("run", "two.yaml", "--on", "mars", code=2, says="mars")
    weir("run", "two.yaml", "--json", "--pcap", code=2, says="-o DIR")
    weir("run", "two.yaml", "-o", "", code=2, says="needs a name")
    nothing_written()


def test_unknown_things_all_at_once():
    weir("run", "two.yaml", "--controller", "cubik", "--set", "duratoin=3s", "--on", "mars", "--seed", "x", code=2,
         says=["did you mean cubic?", "duratoin", "did you mean duration", "mars", "--seed"])
    nothing_written()


def test_bad_scenario_with_places():
    write("two.yaml", SCENARIO.replace("rate: 20 Mbit/s", "rate: 20 furlongs").replace("duration: 3 s", "duratio: 3 s"))
    _, err = weir("run", "two.yaml", code=2, says=["two.yaml:2:1:", "two.yaml:6:34:", "^"])
    nothing_written()


def test_a_parameter_of_words_is_checked_before_the_run_field_F2():
    write("two.yaml", SCENARIO.replace("controller: cubic", "controller: {name: copa, mode: bounded}", 1))
    weir("run", "two.yaml", code=2, says=['unknown word "bounded": it is one of auto|default|mvfst', "^"])
    weir("run", "two.yaml", "--set", "flows.a.controller.mode=aut", code=2, says='unknown word "aut"')
    nothing_written()


def test_kernel_names():
    weir("run", "two.yaml", "--set", "flows.a.controller=kernel:cubic", "-o", "x", says="in place of kernel:cubic")
    s = summary("x")
    check(s["flows"][0]["controller"] == "kernel:cubic" and s["notes"] and "kernel:cubic" in s["notes"][0], s["notes"])
    weir("run", "two.yaml", "--set", "flows.a.controller=kernel:dctcp", "-o", "y", code=2, says="kernel:dctcp")
    check(not os.path.exists("y"))


def test_subject():
    write("two.yaml", SCENARIO.replace("name: a, path: main, controller: cubic", "name: a, path: main, controller: subject"))
    weir("run", "two.yaml", code=2, says=["two.yaml:8:", "--controller"])
    nothing_written()
    weir("run", "two.yaml", "--controller", "reno", "-o", "x")
    check([f["controller"] for f in summary("x")["flows"]] == ["reno", "cubic"])


def test_foreign_directory_stays():
    os.mkdir("thesis")
    write("thesis/chapter1.tex", "years of work")
    weir("run", "two.yaml", "-o", "thesis", code=2, says="not a result of weir")
    check(os.listdir("thesis") == ["chapter1.tex"] and read("thesis/chapter1.tex") == "years of work")
    write("file", "")
    weir("run", "two.yaml", "-o", "file", code=2, says="not a directory")


def test_unwritable_directory():
    weir("run", "two.yaml", "-o", "/proc/nowhere/x", code=1, says="/proc/nowhere")
    if os.getuid() != 0:
        os.mkdir("locked", 0o555)
        weir("run", "two.yaml", "-o", "locked/x", code=1, says="ermission")
        os.rmdir("locked")
    nothing_written()


def limit_files():
    """As on a full disk, each write beyond 20 kB fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def test_writes_that_fail():
    weir("run", "two.yaml", "-o", "x", code=1, says="cannot write series.csv", preexec_fn=limit_files)
    nothing_written()
    weir("run", "two.yaml", "-o", "x")
    old = read("x/summary.json")
    weir("run", "two.yaml", "--pcap", "-o", "x", code=1, says="cannot write", preexec_fn=limit_files)
    check(read("x/summary.json") == old and sorted(os.listdir(".")) == ["two.yaml", "x"], os.listdir("."))


def test_full_disk():
    script = ('mount -t tmpfs -o size=64k weir-full full && { "$0" run two.yaml -o full/x; code=$?; '
              'ls -A full; exit $code; }')
    os.mkdir("full")
    try:
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, WEIR],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    except FileNotFoundError:
        return
    err = done.stderr.decode()
    if "unshare:" in err or "mount:" in err:
        print("no namespaces here: the full disk was only simulated", file=sys.stderr)
        return
    check(done.returncode == 1 and "No space left on device" in err, done.returncode, err)
    check(done.stdout == b"", "left on the disk:", done.stdout)


def test_full_stdout():
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([WEIR, "run", "two.yaml", "--json"], stdout=full, stderr=subprocess.PIPE, check=False)
        check(done.returncode == 1 and b"No space left" in done.stderr, done)


def interrupted(*arguments, number=signal.SIGINT):
    run = subprocess.Popen([WEIR, "run", "two.yaml", "--set", "duration=100000 s", *arguments],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(.7)
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    check(run.returncode == 1 and b"interrupted" in err, run.returncode, err)
    return out.decode()


def test_interrupt_leaves_complete_partial_results():
    for number in (signal.SIGINT, signal.SIGTERM):
        interrupted("-o", "x", "--iperf3", number=number)
        s = summary("x")
        check(s["interrupted"] is True and 0 < s["simulated_s"] < 100000, s["simulated_s"])
        check(s["flows"][0]["goodput_bps"] > 0)
        one_document(read("x/manifest.json"))
        check("interrupt" in one_document(read("x/iperf3.json"))["error"])
        check(read("x/series.csv").endswith("\n") and os.path.exists("x/report.html"))
        check(sorted(os.listdir(".")) == ["two.yaml", "x"], os.listdir("."))


def test_interrupted_json_is_whole():
    check(one_document(interrupted("--json"))["interrupted"] is True)


def test_missing_and_broken_traces():
    write("bad.down", "1\n2\nx\n")
    write("trace.yaml", SCENARIO.replace("rate: 20 Mbit/s", "trace: none.down"))
    weir("run", "trace.yaml", code=2, says=["trace.yaml:6:", "none.down"])
    write("trace.yaml", SCENARIO.replace("rate: 20 Mbit/s", "trace: bad.down"))
    weir("run", "trace.yaml", code=2, says=["trace.yaml:6:", "bad.down:3:"])


def test_buffer_below_a_packet():
    write("two.yaml", SCENARIO.replace("delay: 10 ms}", "delay: 10 ms, buffer: 0.01 BDP}"))
    weir("run", "two.yaml", code=2, says=["two.yaml:6:", "500 bytes, less than one packet of 1500 bytes"])
    nothing_written()


def test_own_header():
    toy = os.path.join(os.environ["SOURCE_ROOT"], "examples", "toy-aimd.h")
    weir("run", "two.yaml", "--controller", toy, "-o", "x")
    check([f["controller"] for f in summary("x")["flows"]] == ["toy-aimd", "toy-aimd"])
    check(one_document(read("x/manifest.json"))["controller_header"] == read(toy))
    write("broken.h", "struct broken {\n")
    weir("run", "two.yaml", "--controller", "./broken.h", "-o", "y", code=2, says="broken.h")
    weir("run", "two.yaml", "--controller", "./none.h", "-o", "y", code=2, says="none.h")
    weir("run", "two.yaml", "--controller", toy, "-o", "y", code=3, says="/nowhere/cc",
         env={**os.environ, "CC": "/nowhere/cc"})
    check(not os.path.exists("y"))


def test_seeds_stay_exact():
    """Larger ones would not survive a JSON reader that holds numbers as doubles."""
    write("two.yaml", SCENARIO.replace("duration: 3 s", "duration: 100 ms\nseed: 9007199254740992"))
    weir("run", "two.yaml", code=2, says="two.yaml:3:")
    out, _ = weir("run", "two.yaml", "--set", "seed=9007199254740991", "--json")
    check(one_document(out)["seed"] == 9007199254740991)


all_tests(globals())
