# SPDX-License-Identifier: MIT
"""What the tests of `weir link` share: a link with a command behind it, its verdict, and what must be gone
afterwards. Each test program works in a network namespace and a folder of records of its own."""
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outside  # noqa: E402  pylint: disable=wrong-import-position

WEIR = outside.WEIR
check, Failed, Skipped = outside.check, outside.Failed, outside.Skipped
TAG = f"WEIR_LINK_TEST_{os.getpid()}"
FOLDER = tempfile.TemporaryDirectory(prefix="weir-link-")  # pylint: disable=consider-using-with
RECORDS = os.path.join(FOLDER.name, "records")
TRIES, GRACE_S, INVALID = 3, 5, 4
PR_SET_CHILD_SUBREAPER = 36
TCP_CONGESTION = 13


# For a client's script: its socket c gets to port 7000 of the other end, as soon as somebody listens.
CONNECT = """
for left in range(100, -1, -1):  # until somebody listens
    try:
        c.connect((os.environ["WEIR_PEER"], 7000))
        break
    except ConnectionRefusedError:
        if not left: raise
        time.sleep(.05)
"""


def path(name):
    return os.path.join(FOLDER.name, name)


def arguments(options, command):
    line = [WEIR, "link"]
    for option in options:
        line += option if isinstance(option, (list, tuple)) else [option]
    return line + (["--", *command] if command else [])


def start(options, command, **more):
    """A running link. Whatever it leaves is a child of this process, and ends with it."""
    return subprocess.Popen(arguments(options, command), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=outside.die_with_parent, **more)  # pylint: disable=subprocess-popen-preexec-fn


def link(*options, command=("true",), code=0, timeout_s=30, says=(), env=None):
    """A finished link: (stdout, stderr). An invalid one is fine where its command succeeded; that may be another
    link."""
    done = outside.run(arguments(options, command), timeout_s, env={**os.environ, **(env or {})})
    invalid = done.returncode == INVALID and code == 0 and (": invalid: " in done.stderr or WEIR in command)
    check(done.returncode == code or invalid, options, command, "exit", done.returncode, "not", code, done.stderr)
    for words in [says] if isinstance(says, str) else says:
        check(words in done.stderr, options, "does not say", repr(words), "but", done.stderr)
    return done.stdout, done.stderr


def verdict_of(*options, command=("true",), **more):
    """(stdout, the verdict's document)."""
    file = path("verdict.json")
    out, _ = link(*options, ["--verdict", file], command=command, **more)
    with open(file, encoding="utf-8") as f:
        return out, json.load(f)


def valid(name, *options, **more):
    """(stdout, verdict) of a run that the link stands to: twice more, then a named skip."""
    for _ in range(TRIES):
        out, verdict = verdict_of(*options, **more)
        if verdict["verdict"] != "invalid":
            return out, verdict
    raise Skipped(f"{name}: invalid {TRIES} times: {verdict['reason']}")


def shell(script):
    return ("sh", "-c", script)


def python(script, *arguments_):
    return (sys.executable, "-c", script, *arguments_)


def ours():
    """Processes that carry this program's tag, but for itself."""
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            state = (process / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if f"{TAG}=1".encode() in environment and state != "Z":
            yield f"{process.name}: {(process / 'cmdline').read_bytes().decode(errors='replace')}"


def devices():
    return [line.split(":")[0].strip() for line in pathlib.Path("/proc/net/dev").read_text().splitlines()[2:]]


def records():
    return [str(file) for file in pathlib.Path(RECORDS).rglob("site*")]


def nothing_left(but=()):
    """No process, device or record, at the latest after some seconds."""
    end = time.monotonic() + GRACE_S
    while True:
        reap()
        left = [*ours(), *[d for d in devices() if d != "lo"], *records()]
        left = [x for x in left if not any(b in x for b in but)]
        if not left or time.monotonic() > end:
            break
        time.sleep(0.05)
    check(not left, "left behind:", left)


def reap():
    """Orphans come to us, because of PR_SET_CHILD_SUBREAPER."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def wait_for(condition, what, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, "waited in vain for", what)
        time.sleep(0.02)


def end(process, number):
    process.send_signal(number)
    try:
        return process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed(f"does not end at {signal.Signals(number).name}") from None


def run_all(tests):
    """One that is skipped keeps no other from running; the last line says which were."""
    skipped = []
    for test in tests:
        started = time.monotonic()
        try:
            test()
            print(f"ok {test.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
        except Skipped as why:
            skipped.append(f"{test.__name__}: {why}")
        except Failed as why:
            print(f"FAILED {test.__name__}: {why}")
            return 1
    if skipped:
        print(f"skipped: {'; '.join(skipped)}")
    return outside.SKIP if skipped else 0


def main(*tests):
    os.environ[TAG] = "1"
    os.environ["WEIR_RUNTIME_DIR"] = RECORDS
    for name in [name for name in os.environ if name.startswith("WEIR_") and name not in (TAG, "WEIR_RUNTIME_DIR")]:
        del os.environ[name]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with FOLDER:
        try:
            outside.own_namespace()
        except Skipped as why:
            print(f"skipped: {why}")
            return outside.SKIP
        return run_all([*tests, nothing_left])
