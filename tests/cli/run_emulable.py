#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""weir run --on emu: what it refuses before it makes anything, and how. Needs no rights."""
from run_common import *

LAST = "  - {name: b, path: main, controller: cubic, start_jitter: 100 ms}\n"


def emulate(*arguments, **more):
    return weir("run", "two.yaml", "--on", "emu", *arguments, **more)


def nothing_written():
    check(os.listdir(".") == ["two.yaml"], "left behind:", os.listdir("."))


def test_controllers_that_the_kernel_does_not_have():
    _, err = emulate("--controller", "kernel:no_such_one", code=3, says=["no_such_one", "it has:", "reno"])
    check(err.count("\n") == 1, "one line is enough:", err)
    write("two.yaml", SCENARIO.replace("controller: cubic", "controller: kernel:no_such_one"))
    emulate(code=3, says=["a: ", "no_such_one", "it has:"])
    nothing_written()


def test_plain_names_are_weirs():
    emulate("--controller", "no-such-one", code=2, says=["no-such-one: unknown", "kernel:NAME"])
    nothing_written()


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


def test_headers_that_no_kernel_takes():
    """Before any network is made, and with the line, though they run in the simulator."""
    with open(os.path.join(os.environ["SOURCE_ROOT"], "examples", "toy-aimd.h"), encoding="utf-8") as f:
        toy = f.read()
    at = "		s->cwnd_bytes += v->mss_bytes;"
    for code, words in (("		s->cwnd_bytes += (u64)(1.5 * v->mss_bytes);", "double"),
                        ("		s->cwnd_bytes += (u64)((weir_long)s->acked_bytes / -3);", "signed division")):
        text = toy.replace(at, code).replace("weir_long", "long")
        write("mine.h", text)
        weir("run", "two.yaml", "--controller", "./mine.h", "--json", "--set", "duration=100 ms", code=0)
        emulate("--controller", "./mine.h", code=2, says=["the kernel cannot run it",
                                                         f"mine.h:{line_of(text, code.strip()[:24])}", words])
    write("mine.h", "not even C")
    emulate("--controller", "./mine.h", code=2, says=["./mine.h: it does not compile"])
    os.unlink("mine.h")
    nothing_written()


def test_too_many_flows():
    write("two.yaml", SCENARIO + LAST.replace("name: b", "name: many, count: 200"))
    emulate(code=2, says=["count: 202 flows", "at most 160"])
    nothing_written()


def test_headers_that_tcp_does_not_have():
    write("two.yaml", SCENARIO + "endpoint: {header: 40 B}\n")
    emulate(code=2, says=["a: header:", "52 bytes (IPv4) or 72 (IPv6), not 40"])
    write("two.yaml", SCENARIO + "endpoint: {mss: 64 B}\n")
    emulate(code=2, says=["a: mss:", "not 64"])
    nothing_written()


def test_endpoints_of_another_time():
    write("two.yaml", SCENARIO.replace(", controller: cubic", "") + "endpoint: {era: 1986}\n")
    emulate(code=2, says=["a: era: the endpoint of 1986 exists in the simulator only", "--on sim"])
    nothing_written()


def test_mistakes_come_before_the_machine():
    write("two.yaml", SCENARIO.replace("rate: 20 Mbit/s", "rate: 20 furlongs"))
    emulate("--controller", "kernel:no_such_one", code=2, says=["two.yaml:6:", "^"])
    nothing_written()


all_tests(globals())
