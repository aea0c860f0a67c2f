# SPDX-License-Identifier: MIT
"""What the tests of `weir source` and `weir monitor` share: both as processes, values as they come."""
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import traceback

WEIR = os.path.abspath(sys.argv[1])
SLOW_S = 60  # for what takes well under a second on a machine with nothing else to do


class Failed(Exception):
    pass


def check(condition, *words):
    if not condition:
        raise Failed(" ".join(str(w) for w in words))


class Monitor:
    """A monitor; `values` has what it says, in order."""

    def __init__(self, *options, address="127.0.0.1:0", read=True):
        self.process = subprocess.Popen([WEIR, "monitor", address, *options], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = self.process.stderr.readline()
        check(first.startswith("listening at "), first)
        self.address = first.split()[2].rstrip(",")
        self.pages = []
        for option in options:
            if option in ("--http", "--metrics"):
                self.pages.append(self.process.stderr.readline().split()[-1])
        self.values, self.queue = [], queue.Queue()
        self.errors = []
        threading.Thread(target=self._errors, daemon=True).start()
        if read:
            self.read()

    def read(self):
        threading.Thread(target=self._lines, daemon=True).start()

    def _errors(self):
        for line in self.process.stderr:
            self.errors.append(line)

    def _lines(self):
        for line in self.process.stdout:
            self.queue.put(json.loads(line))

    def wait(self, until, timeout_s=SLOW_S):
        """The first value from now on of which `until` is true."""
        end = time.monotonic() + timeout_s
        while True:
            try:
                value = self.queue.get(timeout=max(.01, end - time.monotonic()))
            except queue.Empty:
                raise Failed(f"no such value in {timeout_s} s; last: {self.values[-3:]}") from None
            self.values.append(value)
            if until(value):
                return value

    def drain(self):
        while not self.queue.empty():
            self.values.append(self.queue.get())

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(SLOW_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("the monitor does not end") from None
        time.sleep(.05)
        self.drain()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Source:
    """A source of numbered lines: each `period_s` one more, or as the test says."""

    def __init__(self, address, *options, period_s=.02, start=0):
        self.process = subprocess.Popen([WEIR, "source", address, "--json", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.n, self.period_s, self.going = start, period_s, True
        if period_s:
            self.thread = threading.Thread(target=self._feed, daemon=True)
            self.thread.start()

    def put(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def _feed(self):
        try:
            while self.going:
                self.n += 1
                self.put(str(self.n))
                time.sleep(self.period_s)
        except (BrokenPipeError, ValueError):
            pass

    def end(self):
        """Ends stdin; what the source says of itself."""
        self.going = False
        if self.period_s:
            self.thread.join()
        out, err = self.process.communicate(timeout=SLOW_S)
        check(self.process.returncode == 0, "exit", self.process.returncode, err)
        return json.loads(out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.going = False
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def numbers(values, name):
    return [int(v["value"]) for v in values if v["id"] == name]


def never_backwards(values, name):
    got = numbers(values, name)
    check(got == sorted(set(got)), f"{name}: a stale value after a newer one", got)


def run(*arguments, text="", timeout_s=SLOW_S):
    return subprocess.run([WEIR, *arguments], input=text, capture_output=True, text=True, timeout=timeout_s,
                          check=False)


class Relay:
    """A UDP relay between a source and a monitor, like a NAT: it can lose everything, change its own port, and keeps
    what it saw."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target = (host, int(port))
        self.inner = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inner.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.inner.getsockname()[1]
        self.outer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.source, self.cut, self.going = None, False, True
        self.up, self.down = [], []
        for s in (self.inner, self.outer):
            s.settimeout(.02)
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self._up, self._down)]
        for t in self.threads:
            t.start()

    def rebind(self):
        """From now on another port, as when a NAT forgets; the old one is closed."""
        fresh = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        fresh.settimeout(.02)
        old, self.outer = self.outer, fresh
        old.close()

    def _up(self):
        while self.going:
            try:
                data, self.source = self.inner.recvfrom(4096)
                self.up.append(data)
                if not self.cut:
                    self.outer.sendto(data, self.target)
            except OSError:
                pass

    def _down(self):
        while self.going:
            try:
                data, _ = self.outer.recvfrom(4096)
                self.down.append(data)
                if not self.cut and self.source:
                    self.inner.sendto(data, self.source)
            except OSError:
                time.sleep(.001)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.going = False
        for t in self.threads:
            t.join()
        self.inner.close()
        self.outer.close()


def main(tests):
    failed = 0
    for test in tests:
        begun = time.monotonic()
        try:
            test()
            print(f"ok {test.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc(file=sys.stdout)
    return 1 if failed else 0
