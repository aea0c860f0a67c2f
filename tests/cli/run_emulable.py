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


def test_own_headers_wait_for_the_kernel():
    write("mine.h", "not even C")
    emulate("--controller", "./mine.h", code=3, says=["./mine.h", "--on sim", "this kernel has:"])
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
