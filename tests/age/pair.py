#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pair weir_acp.c and weir_acp.h as an application gets it: compiled as C99 and as C++, linked with nothing, both
examples against each other and against `weir monitor` over loopback, and the Python source of docs/acp.md against the C monitor.
Called as pair.py WEIR, or pair.py --with NAME COMPILER RUNNER... for another compiler (77: it is not there)."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])
SECONDS = 1
LINE = re.compile(r"[0-9a-f]{16} (\S+) ms \((\S+) to (\S+)\), (\d+) lost: (.*)")
STRICT = ["-O1", "-Wall", "-Wextra", "-Werror"]


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def free_port():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.bind(("::", 0))
        return s.getsockname()[1]


def make_pair(folder):
    files = sorted(str(file) for file in (ROOT / "src/age").glob("*.c"))
    run(str(ROOT / "tools/amalgamate"), str(folder / "weir_acp.c"), *files)
    shutil.copy(ROOT / "include/weir/acp.h", folder / "weir_acp.h")


def compile_examples(folder, compiler, *flags):
    for name in ("source", "monitor"):
        run(*compiler, "-std=c11", "-D_GNU_SOURCE", *STRICT, *flags, "-I", str(folder), str(ROOT / f"examples/acp/{name}.c"),
            str(folder / "weir_acp.c"), "-o", str(folder / name))


def talk(folder, monitor, source):
    """Runs a source against a monitor for a while; the lines that the monitor printed. PORT in a command is a port."""
    port, out = str(free_port()), folder / "lines"
    monitor, source = ([word.replace("PORT", port) for word in command] for command in (monitor, source))
    with open(out, "wb") as to:
        ends = [subprocess.Popen(monitor, stdout=to)]
        try:
            time.sleep(.2)
            ends.append(subprocess.Popen(source))
            deadline = time.monotonic() + 20  # an emulated machine may be slow
            time.sleep(SECONDS)
            while time.monotonic() < deadline and out.read_bytes().count(b"\n") < 22:
                time.sleep(.2)
            assert all(end.poll() is None for end in ends), "an end has died"
        finally:
            for end in ends:
                end.kill()
                end.wait()
    return out.read_text().splitlines()


def check(lines):
    assert len(lines) > 20, lines
    last = 0
    for line in lines[:-1]:  # the last one may be half written
        age_ms, low_ms, high_ms, _, value = LINE.fullmatch(line).groups()
        assert 0 <= float(low_ms) <= float(age_ms), line
        assert float(high_ms) == 0 or float(age_ms) <= float(high_ms), line
        number = int(re.search(r"\d+", value).group())
        assert number > last, f"{number} after {last}"  # newest first, nothing twice
        last = number


def check_json(lines):
    values = [json.loads(line) for line in lines[:-1]]
    assert len(values) >= 20, lines
    numbers = [json.loads(value["value"])["reading"] for value in values]
    assert numbers == sorted(set(numbers)), numbers
    assert all(value["age_ms"] >= 0 and value["age_error_ms"] >= 0 for value in values), values


def python_source():
    page = (ROOT / "docs/acp.md").read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", page, re.S).group(1)


def native(folder, weir):
    compile_examples(folder, ["cc"])
    run("cc", "-std=c99", *STRICT, "-c", str(folder / "weir_acp.c"), "-o", str(folder / "c99.o"))
    run("c++", *STRICT, "-x", "c++", "-c", str(folder / "weir_acp.c"), "-o", str(folder / "cpp.o"))
    wanted = subprocess.run(["nm", "-u", str(folder / "c99.o")], check=True, capture_output=True, text=True).stdout
    assert set(wanted.split()) - {"U"} <= {"memcpy", "memset", "strcmp"}, wanted  # no malloc, no clock, no socket
    monitor, source = [str(folder / "monitor"), "PORT"], [str(folder / "source"), "127.0.0.1", "PORT"]
    check(talk(folder, monitor, source))
    check_json(talk(folder, [weir, "monitor", "127.0.0.1:PORT", "--quiet"], source))
    (folder / "source.py").write_text(python_source(), encoding="utf-8")
    check(talk(folder, monitor, [sys.executable, str(folder / "source.py"), "127.0.0.1", "PORT"]))


def other(folder, name, compiler, runner):
    needed = [compiler] + runner
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"skipped: {name}: no {' and no '.join(missing)}")
        return 77
    compile_examples(folder, [compiler], "-static", "-Wno-error")
    check(talk(folder, [*runner, str(folder / "monitor"), "PORT"], [*runner, str(folder / "source"), "127.0.0.1", "PORT"]))
    return 0


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_pair(folder)
        if arguments and arguments[0] == "--with":
            return other(folder, arguments[1], arguments[2], arguments[3:])
        native(folder, arguments[0])
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
