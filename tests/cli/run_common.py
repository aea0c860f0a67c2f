# SPDX-License-Identifier: MIT
"""What the tests of `weir run` share: a scratch directory, a scenario, running the program, reading results."""
import json
import os
import subprocess
import sys
import tempfile
import traceback

WEIR = os.path.abspath(sys.argv[1])

SCENARIO = """\
title: two cubics
duration: 3 s
paths:
  main:
    hops:
      - {name: bottleneck, rate: 20 Mbit/s, delay: 10 ms}
flows:
  - {name: a, path: main, controller: cubic, start_jitter: 100 ms}
  - {name: b, path: main, controller: cubic, start_jitter: 100 ms}
"""


class Failed(Exception):
    pass


def check(condition, *words):
    if not condition:
        raise Failed(" ".join(str(w) for w in words))


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def weir(*arguments, code=0, says=None, **more):
    """Runs the program; its exit code and words on stderr are checked."""
    done = subprocess.run([WEIR, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100,
                          check=False, **more)
    out, err = done.stdout.decode(), done.stderr.decode()
    check(done.returncode == code, "weir", *arguments, "exit", done.returncode, "not", code, err)
    for words in [says] if isinstance(says, str) else says or []:
        check(words in err, "weir", *arguments, "does not say", repr(words), "but", err)
    return out, err


def one_document(text):
    """J4 (esnet/iperf#1716): exactly one JSON document, and no NaN in it (J1)."""
    document, end = json.JSONDecoder(parse_constant=lambda c: check(False, "JSON holds", c)).raw_decode(text)
    check(text[end:] == "\n", "something follows the document:", repr(text[end:end + 40]))
    return document


def summary(directory):
    return one_document(read(os.path.join(directory, "summary.json")))


def without_wall(text):
    return "\n".join(line for line in text.split("\n") if '"wall_s"' not in line)


def all_tests(namespace):
    """Runs each function named test_* in a directory of its own, all of them even after a failure."""
    failed = 0
    for name in [n for n in namespace if n.startswith("test_")]:
        with tempfile.TemporaryDirectory(prefix="weir-run-") as scratch:
            os.chdir(scratch)
            write("two.yaml", SCENARIO)
            try:
                namespace[name]()
            except Exception:  # a test that breaks is a test that fails
                failed += 1
                print(f"FAILED {name}", file=sys.stderr)
                traceback.print_exc()
            os.chdir("/")
    sys.exit(1 if failed else 0)
