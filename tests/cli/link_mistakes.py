#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `weir link` says of options that are wrong: all before anything is started, so that no rights are needed."""
import os
import re

from run_common import all_tests, check, read, weir, write


def mistakes(*options, says, code=2):
    _, err = weir("link", *options, "--", "touch", "started", code=code, says=says)
    check(not os.path.exists("started"), "the command was started")
    return err


def test_each_names_the_option():
    err = mistakes("--rate", "100Mbits", "--delay", "25", "--loss", "2", "--aqm", "coddel", "--buffer", "1kB",
                   says=['weir link: --rate: unknown unit "Mbits"; did you mean Mbit/s?\n    100Mbits\n    ^',
                         "weir link: --delay: 25 has no unit: write 25 ms or 25 s", "weir link: --loss: 2 is more than 1",
                         'weir link: --aqm: unknown word "coddel"; did you mean codel?'])
    check(err.count("weir link: --") == 5, "each once, though for both directions:", err)
    mistakes("--buffer", "1kB", "--rate", "1Mbit/s", says="weir link: --buffer: less than one packet of 1500 bytes")
    mistakes("--buffer", "1ms", "--rate", "1Mbit/s", says="weir link: --buffer: at the hop's rate is 125 bytes")
    mistakes("--aqm", "red", "--buffer", "unlimited", says='red on an unlimited buffer needs "min" and "max"')
    mistakes("--rate", "[1Mbit/s, 2Mbit/s]", says="is a list: a link has one value")
    mistakes("--ecn", "--aqm", "droptail", says="weir link: --ecn: ")


def test_keys_of_one_direction_field_a17():
    mistakes("--up", "packet=100", "--down", "mypackets=5",
             says=['weir link: --up: unknown key "packet"', 'weir link: --down: unknown key "mypackets"'])
    mistakes("--up", "los=1%", says=["did you mean loss?", "    los=1%\n    ^\n"])
    mistakes("--up", "loss.q=1%", says=['--up: unknown key "q"', "    loss.q=1%\n         ^\n"])
    mistakes("--down", "rate", says="--down rate: KEY=VALUE is expected")
    mistakes("--down", "rate=5", says=["--down: rate: 5 has no unit", "    rate=5\n         ^\n"])


def test_traces():
    write("good", "1\n2\n")
    write("bad", "5\n4\n")
    mistakes("--trace", "nowhere", says="weir link: --trace: nowhere: cannot open: No such file")
    mistakes("--trace", "good,bad", says="weir link: --trace: bad:2:1:")
    mistakes("--trace", "good,", says="two files are expected, UP,DOWN, or one for both")
    mistakes("--trace", "good", "--rate", "1Mbit/s", says="--rate and --trace exclude each other")
    write("zeros", "0\n0\n0\n")
    mistakes("--trace", "zeros", says="--trace: zeros:")


def test_scenarios():
    write("two.yaml", "duration: 1 s\npaths:\n  one: {hops: [{name: a, rate: 1 Mbit/s}]}\n"
                      "  two: {hops: [{name: b, rate: [1 Mbit/s, 2 Mbit/s]}]}\n")
    mistakes("--scenario", "nowhere.yaml", says="nowhere.yaml: cannot be read: No such file")
    mistakes("--scenario", "two.yaml", says="paths.two.hops.b.rate is a list: a link has one value")
    fixed = ["--set", "paths.two.hops.b.rate=2Mbit/s"]
    mistakes("--scenario", "two.yaml", *fixed, says="two has 2 paths: which one? --path one")
    mistakes("--scenario", "two.yaml", *fixed, "--path", "tow", says="--path tow: no path is called so; did you mean two?")
    mistakes("--scenario", "two.yaml", "--set", "paths.two.hops.b.rate=2", says="weir link: --set: rate: 2 has no unit")
    mistakes("--scenario", "two.yaml", "--rate", "1Mbit/s", says="--scenario and --rate exclude each other")
    mistakes("--path", "two", says="--path and --set belong to --scenario FILE")
    write("wrong.yaml", "duration: 1 s\npaths:\n  one: {hops: [{name: a, rat: 1 Mbit/s}]}\n")
    err = mistakes("--scenario", "wrong.yaml", says="wrong.yaml:3:26: ")
    check("did you mean rate?" in err, err)


def test_other_options():
    mistakes("--realtime", "maybe", says="--realtime maybe: auto, on or off is expected")
    mistakes("--stamp", "yes", says="--stamp yes: on or off is expected")
    mistakes("--hosts", "81", says="--hosts 81: a whole number from 1 to 80 is expected")
    mistakes("--hosts", "0", says="--hosts 0")
    mistakes("--snap", "96", says="--snap belongs to --pcap")
    mistakes("--raet", "1Mbit/s", says="did you mean --rate?")


def test_the_help_names_every_option():
    out, _ = weir("link", "--help")
    for name in ("rate", "delay", "buffer", "loss", "trace", "aqm", "log", "pcap", "verdict", "json", "hosts", "beyond"):
        check(f"--{name}" in out, "no", name)
    page = read(os.path.join(os.environ["SOURCE_ROOT"], "docs/link.md"))
    for name in re.findall(r"^ +(?:-\w, )?--([a-z]+)", out, re.M):
        check(name in ("help", "version") or f"--{name}" in page, "docs/link.md lacks", name)


all_tests(globals())
