#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Field case K4: a controller that says a rate gets that rate, from a header compiled on the fly, whatever
super-packets the device takes; and K2: who watches, and since when, does not matter to it."""
import os
import pathlib
import subprocess
import sys
import tempfile

WEIR = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="weir-pacing-")  # pylint: disable=consider-using-with
os.environ["WEIR_RUNTIME_DIR"] = os.path.join(FOLDER.name, "records")
TOLERANCE, TRIES = .05, 3

HEADER = """
#include "weir/cc.h"
struct paced { u64 unused; };
struct paced_params { u64 rate_Bps; };
#ifndef __BPF__
static const struct weir_param paced_param_table[] = {
    {"rate", "Bps", 30000000, 1000, 1000000000, "bytes a second"}};
static const struct weir_signal paced_signal_table[] = {{"unused", ""}};
#endif
#define ARGUMENTS struct paced *s, const struct paced_params *p, const struct weir_view *v
static inline __attribute__((always_inline)) void say(const struct paced_params *p, struct weir_out *o)
{
	o->cwnd_bytes = 1 << 26;
	o->pacing_Bps = p->rate_Bps;
}
WEIR_CORE void paced_init(ARGUMENTS, struct weir_out *o) { s->unused = 0; say(p, o); }
WEIR_CORE void paced_on_ack(ARGUMENTS, const struct weir_ack *a, struct weir_out *o) { say(p, o); }
WEIR_CORE void paced_on_loss(ARGUMENTS, const struct weir_loss *l, struct weir_out *o) { say(p, o); }
WEIR_CORE void paced_on_timeout(ARGUMENTS, struct weir_out *o) { say(p, o); }
WEIR_CORE void paced_probe(const struct paced *s, u64 value[WEIR_CC_SIGNALS_MAX]) { value[0] = s->unused; }
WEIR_CONTROLLER(paced, "paced", .about = "A rate.", .source = "a test");
"""

# The goodput of 1.5 s, after .3 s, at the receiver of a connection over loopback.
MEASURE = """
import socket, threading, time
listener = socket.create_server(("127.0.0.1", 0))
one = socket.create_connection(listener.getsockname())
two, _ = listener.accept()
over = threading.Event()
def send():
    block = bytes(1 << 16)
    try:
        while not over.is_set():
            one.sendall(block)
    except OSError:
        pass
threading.Thread(target=send, daemon=True).start()
def take_until(end):
    got = 0
    while time.monotonic() < end:
        got += len(two.recv(1 << 18))
    return got
start = time.monotonic()
take_until(start + .3)
begin = time.monotonic()
got = take_until(begin + 1.5)
print(got / (time.monotonic() - begin) * 8)
over.set()
two.close()
"""


def fail(*words):
    print("FAILED:", *words)
    sys.exit(1)


def goodput_bps(header, rate, watched):
    command = [sys.executable, "-c", MEASURE]
    if watched:
        script = os.path.join(FOLDER.name, "measure.py")
        pathlib.Path(script).write_text(MEASURE, encoding="ascii")
        command = ["sh", "-c", f"'{WEIR}' kernel watch paced >/dev/null & sleep .3; '{sys.executable}' '{script}'"]
    done = subprocess.run([WEIR, "kernel", "run", header, "-q", "--set", f"rate={rate} Mbit/s", "--", *command],
                          text=True, capture_output=True, timeout=60, check=False)
    if done.returncode == 3:
        print(done.stderr.strip())
        sys.exit(77)
    if done.returncode:
        fail("exit", done.returncode, done.stderr)
    return float(done.stdout)


def main():
    header = os.path.join(FOLDER.name, "paced.h")
    pathlib.Path(header).write_text(HEADER, encoding="ascii")
    for rate, watched in ((240, False), (320, False), (240, True)):
        seen = []
        while len(seen) < TRIES:
            seen.append(goodput_bps(header, rate, watched) / 1e6)
            # a busy machine can only be slower
            if abs(seen[-1] / rate - 1) <= TOLERANCE:
                break
            if seen[-1] > rate * (1 + TOLERANCE):
                fail("K4: asked for", rate, "Mbit/s, got", seen)
        else:
            if max(seen) < rate * .8:
                print("this machine is too busy to send", rate, "Mbit/s:", seen)
                sys.exit(77)
            fail("K4: asked for", rate, "Mbit/s, got", seen)
        print("ok k4" if not watched else "ok k2 k4", rate, "Mbit/s:", round(seen[-1], 1))


main()
