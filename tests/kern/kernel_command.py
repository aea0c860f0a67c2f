#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`weir kernel` as people use it: what it prints, its exit statuses, and that nothing is left of it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WEIR = sys.argv[1]
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
FOLDER = tempfile.TemporaryDirectory(prefix="weir-kernel-")  # pylint: disable=consider-using-with
os.environ["WEIR_RUNTIME_DIR"] = FOLDER.name
WAIT_S = 20

# a connection to oneself; prints the congestion controls of both ends
TALK = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
one = socket.create_connection(listener.getsockname())
two, _ = listener.accept()
one.sendall(b"x" * 100000)
got = 0
while got < 100000:
    got += len(two.recv(65536))
print(*(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)).decode() for s in (one, two)))
"""

# a connection that bbr has paced before; prints its pacing rate (of struct tcp_info) before and after 1 MB
CHANGE = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
one = socket.socket()
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbr")
one.connect(listener.getsockname())
two, _ = listener.accept()
def exchange(n):
    for _ in range(n):
        one.sendall(b"x" * 10000)
        got = 0
        while got < 10000:
            got += len(two.recv(65536))
    return int.from_bytes(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 200)[104:112], "little")
exchange(10)
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"weir_reno")
print(exchange(1), exchange(100))
"""


# a state that does not fit in a socket, and ticks
BIG = """
#include "weir/cc.h"
struct big { u64 cwnd_bytes, filler[60], ticks; };
struct big_params { u64 tick_ns; };
#ifndef __BPF__
static const struct weir_param big_param_table[] = {{"tick", "ns", 1000000, 1000, 1000000000, "between ticks"}};
static const struct weir_signal big_signal_table[] = {{"ticks", ""}};
#endif
#define ARGUMENTS struct big *s, const struct big_params *p, const struct weir_view *v
WEIR_CORE void big_say(ARGUMENTS, struct weir_out *o)
{
	o->cwnd_bytes = s->filler[59] == 7 ? s->cwnd_bytes : 1;
	o->wake_ns = v->now_ns + p->tick_ns;
}
WEIR_CORE void big_init(ARGUMENTS, struct weir_out *o)
{
	s->cwnd_bytes = v->initial_bytes;
	s->ticks = 0;
	s->filler[59] = 7;
	big_say(s, p, v, o);
}
WEIR_CORE void big_on_tick(ARGUMENTS, struct weir_out *o) { s->ticks++; big_say(s, p, v, o); }
WEIR_CORE void big_on_ack(ARGUMENTS, const struct weir_ack *a, struct weir_out *o) { o->cwnd_bytes = s->cwnd_bytes; }
WEIR_CORE void big_on_loss(ARGUMENTS, const struct weir_loss *l, struct weir_out *o) { o->cwnd_bytes = s->cwnd_bytes; }
WEIR_CORE void big_on_timeout(ARGUMENTS, struct weir_out *o) { o->cwnd_bytes = s->cwnd_bytes; }
WEIR_CORE void big_probe(const struct big *s, u64 value[WEIR_CC_SIGNALS_MAX]) { value[0] = s->ticks; }
WEIR_BIND_ON_TICK(big);
WEIR_CONTROLLER(big, "big", .about = "", .source = "", .on_tick = big_bound_on_tick);
"""


def fail(*words):
    print("FAILED:", *words)
    sys.exit(1)


def run(*arguments, code=0, says="", out=None):
    done = subprocess.run([WEIR, "kernel", *arguments], text=True, capture_output=True, timeout=WAIT_S, check=False)
    if done.returncode != code or says not in done.stderr:
        fail(arguments, "exit", done.returncode, "not", code, "says", repr(done.stderr), "not", repr(says))
    if out is not None and done.stdout != out:
        fail(arguments, "prints", repr(done.stdout), "not", repr(out))
    return done.stdout


def registered():
    return [name for name in AVAILABLE.read_text(encoding="ascii").split() if name.startswith("weir_")]


def cgroups():
    mounts = pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    roots = [line.split()[4] for line in mounts if " - cgroup2 " in line]
    return [path for root in roots for path in pathlib.Path(root).rglob("weir-*")]


def until(what, true):
    end = time.monotonic() + WAIT_S
    while not true():
        if time.monotonic() > end:
            fail(what)
        time.sleep(.02)


def nothing_left(after):
    if registered() or cgroups() or os.listdir(FOLDER.name):
        fail("left after", after, ":", registered(), cgroups(), os.listdir(FOLDER.name))


def load_list_unload():
    run("load", "reno", "--set", "idle_restart=2s", out="weir_reno\n")
    if registered() != ["weir_reno"]:
        fail("registered:", registered())
    run("load", "reno", code=1, says="weir_reno is registered already")
    run("run", "reno", "--", "true", code=125, says="weir_reno is registered already")
    listed = json.loads(run("list", "--json"))
    if listed["schema"] != "weir.kernel/1" or [c["name"] for c in listed["controllers"]] != ["weir_reno"]:
        fail(listed)
    if listed["controllers"][0]["stays"] is not True or listed["controllers"][0]["sockets"] != 0:
        fail(listed)
    run("unload", "reno", out="")
    run("unload", "reno", code=1, says="weir_reno is not registered")
    nothing_left("unload")


def aliases_and_mistakes():
    run("load", "newreno", out="weir_reno\n")
    run("unload", "weir_reno")
    run("load", "renoo", code=2, says="did you mean reno?")
    run("load", "cubic", "--set", "betta=.5", code=2, says="did you mean beta?")
    run("load", "cubic", "--set", "beta=.99", code=2, says="--set beta: .99 is more than")
    run("load", "cubic", "--set", "beta", code=2, says="NAME=VALUE is expected")
    run("watch", "cubic", code=1, says="weir_cubic: it is not in this kernel")
    nothing_left("mistakes")


def run_gives_the_controller():
    for name in ("reno", "agile-sd"):
        registered = "weir_" + name.replace("-", "_")
        run("run", name, "--", sys.executable, "-c", TALK, out=f"{registered} {registered}\n", says="2 connections")
    run("run", "vegas", "--", "true", says="made no TCP connection")
    nothing_left("run")


def no_rate_is_inherited():
    if "bbr" not in AVAILABLE.read_text(encoding="ascii").split():
        print("no bbr: not tried whether its rate is forgotten")
        return
    run("load", "reno")
    before, after = subprocess.run([sys.executable, "-c", CHANGE], text=True, capture_output=True, timeout=WAIT_S,
                                   check=True).stdout.split()
    run("unload", "reno")
    if before == after:
        fail("weir_reno keeps the rate of bbr,", before, "B/s")
    nothing_left("a change of controllers")


def paced_forms_load():
    run("run", "agile-sd", "--set", "pacing=1.25", "--", "true", says="made no TCP connection")
    nothing_left("a paced controller")


def run_passes_the_status():
    run("run", "reno", "--", "sh", "-c", "exit 7", code=7)
    run("run", "reno", "--", "sh", "-c", "kill -TERM $$", code=128 + signal.SIGTERM)
    run("run", "reno", "--", "/nonexistent", code=127)
    run("run", "reno", "--", "/etc/passwd", code=126)
    nothing_left("statuses")


def large_states_and_ticks():
    header = pathlib.Path(FOLDER.name) / "big.h"
    header.write_text(BIG, encoding="ascii")
    file, talk = pathlib.Path(FOLDER.name) / "calls.csv", pathlib.Path(FOLDER.name) / "talk.py"
    talk.write_text(TALK.replace("100000", "200000"), encoding="ascii")
    run("run", str(header), "--", "sh", "-c",
        f"'{WEIR}' kernel watch big >'{file}' & sleep .5; '{sys.executable}' '{talk}'", out="weir_big weir_big\n")
    rows = [line.split(",") for line in file.read_text(encoding="ascii").splitlines()]
    ticks = [row for row in rows if row[4] == "tick"]
    if not ticks or any(int(row[18]) <= 1 for row in ticks):
        fail("ticks, or the state between them:", ticks[:3])
    for path in (header, file, talk):
        path.unlink()
    nothing_left("a header")


def start(*arguments):
    process = subprocess.Popen([WEIR, "kernel", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    until(f"{arguments} does not start", registered)
    return process


def sigkill_leaves_nothing():
    process = start("run", "vegas", "--", "sh", "-c", "sleep 61 & echo $!; wait")
    inner = int(process.stdout.readline())
    process.kill()
    process.wait()
    until("weir_vegas is still registered", lambda: not registered())
    until("the cgroup is still there", lambda: not cgroups())
    until("the command still runs", lambda: not pathlib.Path(f"/proc/{inner}").exists())
    nothing_left("SIGKILL")


def an_interrupt_ends_it():
    process = start("run", "vegas")
    process.send_signal(signal.SIGINT)
    if process.wait(WAIT_S):
        fail("interrupted: exit", process.returncode)
    nothing_left("SIGINT")


def calls_are_watched():
    file = pathlib.Path(FOLDER.name) / "calls.csv"
    with open(file, "w", encoding="ascii") as out:
        owner = start("run", "reno")
        with subprocess.Popen([WEIR, "kernel", "watch", "reno"], stdout=out) as watcher:
            until("the watcher does not start", lambda: file.stat().st_size or watcher.poll() is not None)
            run("watch", "reno", code=1, says="somebody watches it already")
            subprocess.run([sys.executable, "-c", TALK.replace("one = ", "listener.setsockopt(6, 13, b'weir_reno'); one = ")],
                           timeout=WAIT_S, check=True, stdout=subprocess.DEVNULL)
            owner.send_signal(signal.SIGINT)
            owner.wait(WAIT_S)
            watcher.wait(WAIT_S)
    lines = file.read_text(encoding="ascii").splitlines()
    columns = lines[0].split(",")
    events = [dict(zip(columns, line.split(",")))["event"] for line in lines[1:]]
    if events[:1] != ["init"] or any(len(line.split(",")) != len(columns) for line in lines):
        fail("watched:", lines[:3])
    file.unlink()
    nothing_left("watch")


def calls_are_kept():
    kept = pathlib.Path(FOLDER.name) / "kept"
    run("run", "reno", "-o", str(kept), "--", sys.executable, "-c", TALK, out="weir_reno weir_reno\n",
        says="calls of 2 sockets recorded")
    names = {"calls.weir", "manifest.json", "report.html", "series.csv", "summary.json", "trace.qlog"}
    if set(os.listdir(kept)) != names:
        fail("kept:", os.listdir(kept))
    summary = json.loads((kept / "summary.json").read_text(encoding="utf-8"))
    if summary["backend"] != "kernel" or [f["name"] for f in summary["flows"]] != ["reno"] or summary["calls_dropped"]:
        fail(summary)
    if ",reno,cc.ssthresh_bytes," not in (kept / "series.csv").read_text(encoding="utf-8"):
        fail("the controller's own signals are not in the series")
    replayed = json.loads(run("replay", str(kept / "calls.weir"), "--json"))
    if replayed["schema"] != "weir.kernel-replay/1" or replayed["verdict"] != "same" or replayed["compared"] != summary["calls"]:
        fail(replayed)
    run("replay", str(kept / "calls.weir"), "--controller", "cubic", code=2, says="parameters, that of the record")
    run("replay", str(kept / "series.csv"), code=2, says="does not begin as records")
    run("replay", str(kept / "none"), code=2, says="No such file")
    for verb in (["report", str(kept)], ["compare", str(kept), str(kept)]):
        done = subprocess.run([WEIR, *verb], capture_output=True, text=True, timeout=WAIT_S, check=False)
        if done.returncode:
            fail(verb, done.returncode, done.stderr)
    run("watch", "reno", "--sample", "1ms", code=2, says="--sample belongs to -o, --qlog or --record")
    run("run", "reno", "-o", "/proc", "--", "true", code=2, says="not a result of weir")
    shutil.rmtree(kept)
    nothing_left("kept calls")


def main():
    have = subprocess.run([WEIR, "kernel", "run", "reno", "--", "true"], capture_output=True, text=True, timeout=WAIT_S,
                          check=False)
    if have.returncode == 3 or registered():
        print(have.stderr.strip() or f"{registered()} are in use on this machine")
        sys.exit(77)
    for test in (load_list_unload, aliases_and_mistakes, run_gives_the_controller, no_rate_is_inherited,
                 paced_forms_load, run_passes_the_status, large_states_and_ticks, sigkill_leaves_nothing, an_interrupt_ends_it, calls_are_watched, calls_are_kept):
        test()
        print("ok", test.__name__)


main()
