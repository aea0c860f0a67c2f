# SPDX-License-Identifier: MIT
"""The outside view of `weir link`, for tests and bench/emu: the link with the observer (probe.h) behind it, busy
loops (hog.c) beside it, and the same observer over a bare veth pair.

Everything runs in network namespaces that this process makes for itself, ends within a bounded time, and is
ended with this process."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WEIR = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
TOOLS = os.environ.get("ROOT_TOOLS", "")
VERDICTS = ["faithful", "degraded", "invalid"]
FAITHFUL, DEGRADED, BORDER = 0.01, 0.05, 0.005
SKIP = 77
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SO_RCVBUFFORCE, TCP_WINDOW_CLAMP = 33, 10
libc = ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, *words):
    if not condition:
        raise Failed(" ".join(str(w) for w in words))


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(command, timeout_s, **more):
    """The finished process; whatever happens, it and its children do not outlive this call by long."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=die_with_parent, **more) as process:  # pylint: disable=subprocess-popen-preexec-fn
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            out, err = process.communicate(timeout=10)
            raise Failed(f"{' '.join(command)} did not end within {timeout_s} s: {err}") from None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def own_namespace():
    """This process moves into a network namespace of its own: what lies beyond links is not the machine's net."""
    if os.geteuid() != 0:
        raise Skipped("needs root")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise Skipped("needs /dev/net/tun")
    if libc.unshare(CLONE_NEWNET) != 0:
        raise Skipped(f"needs network namespaces: {os.strerror(ctypes.get_errno())}")
    ip("link", "set", "lo", "up")


def ip(*arguments):
    done = run(["ip", *arguments], 10)
    check(done.returncode == 0, "ip", *arguments, done.stderr)


def tool(name):
    return os.path.join(TOOLS, name)


@contextlib.contextmanager
def hogs(count, seconds):
    """That many busy loops at normal priority meanwhile."""
    if count == 0:
        yield
        return
    with subprocess.Popen([tool("hog"), str(count), str(int(seconds) + 5)],
                          preexec_fn=die_with_parent) as process:  # pylint: disable=subprocess-popen-preexec-fn
        try:
            time.sleep(0.2)
            yield
        finally:
            process.kill()


class Link:
    """A `weir link`, the same both ways, and what it should be."""

    def __init__(self, rate_bps=None, delay_ms=0.0, buffer=None, realtime="auto", stamped=True, options=()):
        self.rate_bps, self.delay_ms = rate_bps, delay_ms
        self.arguments = [WEIR, "link", "--realtime", realtime, *options]
        if rate_bps:
            self.arguments += ["--rate", f"{rate_bps}bit/s"]
        if delay_ms:
            self.arguments += ["--delay", f"{delay_ms}ms"]
        if buffer:
            self.arguments += ["--buffer", buffer]
        if not stamped:
            self.arguments += ["--stamp", "off"]

    def run(self, command, timeout_s):
        """(the finished process, the link's verdict as read from its file)."""
        with tempfile.TemporaryDirectory() as folder:
            verdict = os.path.join(folder, "verdict.json")
            done = run([*self.arguments, "--verdict", verdict, "--", *command], timeout_s)
            check(done.returncode in (0, 4), *self.arguments, *command, "exit", done.returncode, done.stderr)
            with open(verdict, encoding="utf-8") as f:
                return done, json.load(f)

    def probe(self, seconds=3.0, **options):
        """(what the observer saw, the link's verdict). Options are the probe's, _ for -."""
        arguments = probe_arguments(seconds, options)
        arguments += ["--delay", str(self.delay_ms)]
        if self.rate_bps:
            arguments += ["--link", str(self.rate_bps)]
        far = f"/proc/{os.getpid()}/ns/net"
        shell = 'exec "$0" --to "$WEIR_PEER" "$@"'
        done, verdict = self.run(["sh", "-c", shell, tool("probe"), "--far", far, *arguments],
                                 seconds + 2 * self.delay_ms / 1000 + 15)
        return json.loads(done.stdout), verdict


class Stream:
    """A kernel TCP connection through a link: what comes out of it, in windows of 100 ms."""
    PORT, WINDOW_S = 7001, 0.1

    def __init__(self, window_bytes=None):
        """`window_bytes`: the most that the receiver offers."""
        self.window_bytes, self.came_bytes = window_bytes, {}

    def serve(self, listener):
        connection, _ = listener.accept()
        connection.settimeout(10)
        started, room = time.monotonic(), bytearray(1 << 20)
        with connection:
            while got := connection.recv_into(room):
                window = int((time.monotonic() - started) / self.WINDOW_S)
                self.came_bytes[window] = self.came_bytes.get(window, 0) + got

    def run(self, link, seconds, controller="cubic"):
        """The link's verdict."""
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 80_000_000)
            if self.window_bytes:
                listener.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.window_bytes)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", self.PORT))
            listener.listen(1)
            listener.settimeout(20)
            server = threading.Thread(target=self.serve, args=(listener,), daemon=True)
            server.start()
            stream = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stream.py")
            shell = 'exec "$0" "$1" "$WEIR_PEER" "$2" "$3" "$4"'
            _, verdict = link.run(["sh", "-c", shell, sys.executable, stream, str(self.PORT), str(seconds), controller],
                                  seconds + 30)
            server.join(20)
        return verdict

    def rates_bps(self, start_s, end_s):
        """Payload, window by window."""
        first, end = round(start_s / self.WINDOW_S), round(end_s / self.WINDOW_S)
        return [self.came_bytes.get(i, 0) * 8 / self.WINDOW_S for i in range(first, end)]


def probe_arguments(seconds, options):
    arguments = ["--seconds", str(seconds)]
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        arguments += [name] if value is True else [name, str(value)]
    return arguments


def veth(seconds=3.0, **options):
    """The same observer without an emulator: from this namespace to another over a veth pair."""
    with subprocess.Popen(["unshare", "-n", "sleep", str(int(seconds) + 20)],
                          preexec_fn=die_with_parent) as other:  # pylint: disable=subprocess-popen-preexec-fn
        try:
            far, here = f"/proc/{other.pid}/ns/net", os.readlink("/proc/self/ns/net")
            for _ in range(500):
                if os.readlink(far) != here:
                    break
                time.sleep(0.01)
            enter = ["nsenter", f"--net={far}"]
            ip("link", "add", "weirveth0", "type", "veth", "peer", "name", "weirveth1", "netns", str(other.pid))
            ip("address", "add", "192.0.2.1/30", "dev", "weirveth0")
            ip("link", "set", "weirveth0", "up")
            run([*enter, "ip", "address", "add", "192.0.2.2/30", "dev", "weirveth1"], 10)
            run([*enter, "ip", "link", "set", "weirveth1", "up"], 10)
            done = run([tool("probe"), "--far", far, "--to", "192.0.2.2", *probe_arguments(seconds, options)],
                       seconds + 15)
            check(done.returncode == 0, "probe over veth:", done.stderr)
            return json.loads(done.stdout)
        finally:
            other.kill()


def outside_error(seen, rtt_ms):
    """What the observer holds against the link: (fraction of the RTT at p99, fraction of the bytes)."""
    rtt = seen["rtt_error_us"]["p99"] / 1000 / rtt_ms
    return rtt, max(seen[way]["missed_fraction"] for way in ("up", "down"))


def class_of(fraction):
    return 0 if fraction <= FAITHFUL else 1 if fraction <= DEGRADED else 2


def agrees(verdict, fraction):
    """Within half a percent of a border either side is right."""
    given = VERDICTS.index(verdict)
    return class_of(fraction - BORDER) <= given <= class_of(fraction + BORDER)


def main(*tests):
    """Runs tests in order; the exit status is what meson wants to know."""
    status, skipped = 0, []
    try:
        own_namespace()
        for test in tests:
            started = time.monotonic()
            try:
                test()
                print(f"ok {test.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
            except Skipped as why:
                skipped.append(str(why))
            except Failed as why:
                print(f"FAILED {test.__name__}: {why}", flush=True)
                status = 1
    except Skipped as why:
        skipped.append(str(why))
    if skipped:
        print("; ".join(skipped))
    return status or (SKIP if skipped else 0)
