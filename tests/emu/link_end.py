#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: how it ends. Signals, deaths, terminals, packets that are too large."""
import itertools
import os
import pty
import select
import signal
import sys
import termios
import time

import link_common as common
from link_common import WEIR, Skipped, check, end, link, main, nothing_left, ours, path, records, shell, start, wait_for

STARTED = itertools.count()


def running(script, *options, before=":"):
    """A link whose command has done what is to be done before."""
    ready = path(f"ready-{next(STARTED)}")
    process = start(options, shell(f"{before}; touch {ready}; {script}"))
    wait_for(lambda: os.path.exists(ready) or process.poll() is not None, "the command")
    check(process.poll() is None, "ended at once", process.returncode)
    return process


def signals_are_passed_on():
    # Whoever started this (nohup) may ignore one, and what ignores it hands that on.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129), (signal.SIGUSR1, 138)):
        process = running("exec sleep 100", ["--beyond", "sleep 100"])
        end(process, number)
        check(process.returncode == status, number, "ends with", process.returncode)
        nothing_left()
    # A command that answers to a signal gives its own status.
    process = running("while :; do sleep .05; done", before="trap 'exit 3' TERM")
    end(process, signal.SIGTERM)
    check(process.returncode == 3, process.returncode)
    # One that will not end is ended.
    process = running("while :; do sleep .05; done", before="trap '' TERM HUP")
    started = time.monotonic()
    end(process, signal.SIGTERM)
    check(process.returncode == 137 and 1.5 < time.monotonic() - started < 8, process.returncode)
    nothing_left()


def a_killed_link_is_cleaned_up_at_the_next_start():
    process = running("(trap '' HUP; exec sleep 77) & exec sleep 100", ["--hosts", "2"])
    live = running("exec sleep 100")
    process.kill()
    process.wait()
    wait_for(lambda: not any("sleep\x00100" in p for p in list(ours())[1:2]), "the commands' death", 3)
    wait_for(lambda: sum("sleep\x0077" in p for p in ours()) == 2, "what the commands left")
    check(len(records()) == 2, records())
    link(command=("true",))
    check(not any("sleep\x0077" in p for p in ours()), "the next start left", list(ours()))
    check(len(records()) == 1, "the live link's record", records())
    # It was left alone.
    check(live.poll() is None, "a live link was ended")
    end(live, signal.SIGTERM)
    check(live.returncode == 143, live.returncode)
    nothing_left()


# ---- terminals ----

class Terminal:
    """A link as the foreground job of a terminal."""

    def __init__(self, *line, env=None):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(line[0], line, {**os.environ, **(env or {})})
        self.modes = termios.tcgetattr(self.fd)

    def read(self, until, seconds=15):
        stop = time.monotonic() + seconds
        while until not in self.text:
            check(time.monotonic() < stop, "the terminal does not show", until, "but", self.text)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 65536)
                except OSError:
                    check(False, "the terminal closed before", until, "came, with", self.text)
        self.text = self.text.split(until, 1)[1]

    def write(self, text):
        os.write(self.fd, text)

    def end(self, seconds=15):
        """The exit status."""
        stop = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.text += os.read(self.fd, 65536)
                except OSError:
                    pass
            if time.monotonic() > stop:
                os.kill(self.pid, signal.SIGKILL)
                check(False, "does not end, with", self.text)


def keys_of_a_terminal():
    terminal = Terminal(WEIR, "link", "--", "sh", "-c", "echo rea''dy; exec sleep 100")
    terminal.read(b"ready")
    terminal.write(b"\x03")
    check(terminal.end() == 130, "Ctrl-C", terminal.text)
    # Once only, though the program hears of it as well.
    script = "n=0; trap 'n=$((n+1))' INT; echo rea''dy; while [ $n = 0 ]; do sleep .05; done; sleep .3; echo int=$n"
    terminal = Terminal(WEIR, "link", "--", "sh", "-c", script)
    terminal.read(b"ready")
    terminal.write(b"\x03")
    terminal.read(b"int=")
    status = terminal.end()
    check(terminal.text.startswith(b"1") and status in (0, 4), status, terminal.text)
    nothing_left()


def an_interactive_shell_has_its_jobs():
    if not os.path.exists("/bin/bash"):
        raise Skipped("no bash")
    rc = path("rc")
    with open(rc, "w", encoding="utf-8") as f:
        f.write("PS1='mine> '\n")
    outer = ("stty -a | tr -d '\\n' > $0.before; $1 link --rate 5Mbit/s -- bash --rcfile $2 -i; echo status=$?; "
             "stty -a | tr -d '\\n' > $0.after; ps -o tpgid= -o pgid= -p $$ | awk '{print ($1 == $2) \"=front\"}'")
    terminal = Terminal("env", "-u", "SHELL", "sh", "-c", outer, path("stty"), WEIR, rc)
    terminal.read(b"[weir 5 Mbit/s] mine> ")
    terminal.write(b"sleep 50\n")
    time.sleep(0.3)
    terminal.write(b"\x1a")  # Ctrl-Z stops the job, not the link
    terminal.read(b"Stopped")
    terminal.write(b"kill %1; wait; ping -q -c 1 -W 5 $WEIR_PEER | grep -c '1 received'\n")
    terminal.read(b"\n1\r\n")
    terminal.write(b"exit 5\n")
    terminal.read(b"status=5")
    terminal.read(b"1=front")
    check(terminal.end() == 0, terminal.text)
    before, after = (open(path(f"stty.{x}"), encoding="utf-8").read() for x in ("before", "after"))
    check(before == after and before, "modes of the terminal changed")
    nothing_left()


def a_killed_shell_gives_the_terminal_back():
    if not os.path.exists("/bin/bash"):
        raise Skipped("no bash")
    script = "stty raw -echo; kill -9 $$"
    outer = ("stty -a | tr -d '\\n' > $0.before; $1 link -- bash -ic \"$2\"; echo status=$?; "
             "stty -a | tr -d '\\n' > $0.after; ps -o tpgid= -o pgid= -p $$ | awk '{print ($1 == $2) \"=front\"}'")
    terminal = Terminal("sh", "-c", outer, path("stty"), WEIR, script)
    terminal.read(b"status=137")
    terminal.read(b"1=front")
    terminal.end()
    before, after = (open(path(f"stty.{x}"), encoding="utf-8").read() for x in ("before", "after"))
    check(before == after, "modes of the terminal stayed changed")
    nothing_left()


# ---- odd packets ----

def field_a10_a_packet_over_the_mtu_kills_nothing():
    script = ("ip link set dev weir0 mtu 9000 && ping -q -c 3 -i 0.1 -W 1 -s 8000 -M do $WEIR_PEER; "
              "ping -c 3 -i 0.1 -W 5 $WEIR_PEER")
    for options in ([], ["--offload", "off"]):
        out, verdict = common.verdict_of("--isolated", *([options] if options else []), command=shell(script))
        check("3 packets transmitted, 3 received" in out, options, out)
        check(verdict["oversize"] >= 3, verdict)


if __name__ == "__main__":
    sys.exit(main(signals_are_passed_on, a_killed_link_is_cleaned_up_at_the_next_start, keys_of_a_terminal,
                  an_interactive_shell_has_its_jobs, a_killed_shell_gives_the_terminal_back,
                  field_a10_a_packet_over_the_mtu_kills_nothing))
