#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""telemetry_failures.py WEIR [SECONDS]: what goes wrong between a source and a monitor, over loopback with a relay
between: fresh again within one probe interval (3 s) and two round trips of the path coming back, never a stale value
after a newer one. SECONDS: how long the outage lasts (2; `make check-long` takes five minutes)."""
import os
import random
import signal
import socket
import sys
import time
import urllib.request

from telemetry_common import Monitor, Relay, Source, check, main, never_backwards, run

OUTAGE_S = float(sys.argv[2]) if len(sys.argv) > 2 else 2
FRESH_S = 3 + .5   # two round trips of loopback, and Python between
BUSY_S = 6         # what a machine with much else to do may add, and the last resort of these tests


def fresh_again(monitor, source, name, since):
    """The value that was the newest at `since`, or a later one, is there in time."""
    newest = source.n
    monitor.wait(lambda v: v["id"] == name and int(v["value"]) >= newest)
    took = time.monotonic() - since
    check(took < FRESH_S + BUSY_S, "fresh again only after", took)
    print(f"    fresh again after {took * 1e3:.0f} ms")
    return took


def monitor_restart():
    """The monitor forgets everything; the source need not be told."""
    with Monitor() as m:
        with Relay(m.address) as relay, Source(relay.address, "--id", "s") as s:
            m.wait(lambda v: int(v["value"]) > 5)
            m.end()
            seen = max(int(v["value"]) for v in m.values)
            with Monitor(address=m.address) as again:
                since = time.monotonic()
                fresh_again(again, s, "s", since)
                again.wait(lambda v: int(v["value"]) > seen + 20)
                never_backwards(again.values, "s")
                check(min(int(v["value"]) for v in again.values) > seen, "older than before the restart")


def source_restart():
    """The same name again: the monitor takes the new one at once, and nothing of the old one any more."""
    with Monitor() as m, Relay(m.address) as relay:
        with Source(relay.address, "--id", "s") as s:
            m.wait(lambda v: int(v["value"]) > 20)
            s.process.kill()
        old = list(relay.up)
        with Source(relay.address, "--id", "s", start=1000000) as s:
            since = time.monotonic()
            m.wait(lambda v: int(v["value"]) > 1000000)
            check(time.monotonic() - since < FRESH_S + BUSY_S, "slow")
            for data in old:  # replayed: all that the first one ever sent
                relay.outer.sendto(data, relay.target)
            mark = s.n
            m.wait(lambda v: int(v["value"]) >= mark + 10)
            summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check(summary["settled"], summary)


def address_change():
    """A NAT forgets: the same source from another port."""
    with Monitor("--metrics", "127.0.0.1:0") as m, Relay(m.address) as relay, Source(relay.address, "--id", "s") as s:
        for _ in range(3):
            mark = s.n
            m.wait(lambda v, mark=mark: int(v["value"]) > mark)
            relay.rebind()
            since = time.monotonic()
            fresh_again(m, s, "s", since)
        s.end()
        m.end()
        never_backwards(m.values, "s")


def outage():
    """Nothing comes through for a while, then only what is new (field cases L1 and L2)."""
    with Monitor() as m, Relay(m.address) as relay, Source(relay.address, "--id", "s") as s:
        m.wait(lambda v: int(v["value"]) > 10)
        relay.cut = True
        before = len(relay.up)
        time.sleep(OUTAGE_S)
        sent = len(relay.up) - before
        m.drain()
        relay.cut = False
        since = time.monotonic()
        newest = s.n
        fresh_again(m, s, "s", since)
        first = next(v for v in m.values if int(v["value"]) >= newest)
        check(first["age_ms"] < 1000 * (FRESH_S + BUSY_S), "L1: what is old is not sent", first)
        summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check(sent < 30 + OUTAGE_S, "RFC 8085: it went on sending into the dark", sent)
        if OUTAGE_S > 10:
            check(summary["events"]["outages"] >= 1, summary)
            check(sent < 25 + OUTAGE_S / 2.5, "RFC 8085: at most one packet in 3 s", sent)
        late = [v for v in m.values if v["age_ms"] is not None and v["age_ms"] > 1000 * OUTAGE_S and OUTAGE_S > 10]
        check(len(late) <= 1, "L1: stale readings after the outage", late[:3])


def suspended():
    """A process that stands still for a second and goes on: either end."""
    with Monitor() as m, Source(m.address, "--id", "s") as s:
        for process in (s.process, m.process):
            mark = s.n
            m.wait(lambda v, mark=mark: int(v["value"]) > mark)
            process.send_signal(signal.SIGSTOP)
            time.sleep(1)
            process.send_signal(signal.SIGCONT)
            since = time.monotonic()
            fresh_again(m, s, "s", since)
        summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check(summary["settled"], summary)


def metrics(monitor):
    with urllib.request.urlopen("http://" + monitor.pages[0].split("/")[2] + "/metrics", timeout=30) as f:
        lines = f.read().decode().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


def forged():
    """Forged, truncated, reflected and replayed packets are counted and dropped, and nothing else: to the monitor and
    to the source (field cases C5, C10)."""
    random.seed(1)
    with Monitor("--metrics", "127.0.0.1:0") as m, Relay(m.address) as relay:
        with Source(relay.address, "--id", "s") as s:
            m.wait(lambda v: int(v["value"]) > 30)
            up, down = list(relay.up), list(relay.down)
            attacker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            attacker.settimeout(.5)
            answered = asked = 0
            before = metrics(m)
            for data in up[-20:]:
                attacker.sendto(data, relay.target)                               # replayed from elsewhere
                attacker.sendto(data[:random.randrange(len(data))], relay.target)  # truncated
            for data in down[-20:]:
                attacker.sendto(data, relay.target)                               # reflected answers
                relay.inner.sendto(data, relay.source)                            # old answers, to the source
                relay.inner.sendto(bytes(b ^ (random.random() < .1) for b in data), relay.source)
            for data in up[-20:]:
                relay.inner.sendto(data, relay.source)                            # its own updates, back
                asked += len(data)
                attacker.sendto(bytes(b ^ (random.random() < .05) * random.randrange(256) for b in data), relay.target)
            attacker.sendto(b"", relay.target)
            for _ in range(50):
                data = os.urandom(random.randrange(1, 200))
                asked += len(data)
                attacker.sendto(data, relay.target)
            try:
                while True:
                    answered += len(attacker.recv(4096))
            except TimeoutError:
                pass
            mark = s.n
            m.wait(lambda v: v["id"] == "s" and int(v["value"]) > mark)
            after = metrics(m)
            summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check({v["id"] for v in m.values} == {"s"}, "a source that nobody is")
        check(answered <= asked + sum(map(len, up[-20:])) * 2, "more came back than went there", answered, asked)
        dropped = sum(after[k] - before[k] for k in after if k.startswith("weir_datagrams_dropped_total"))
        check(dropped >= 50, "garbage is counted", dropped)
        check(after['weir_packets_total{verdict="ignored"}'] >= before['weir_packets_total{verdict="ignored"}'] + 15,
              "answers are not answered")
        events = summary["events"]
        check(events["acks_late"] + events["acks_foreign"] + events["acks_bad"] + events["strange"] >= 40, events)
        check(summary["settled"], summary)


def wrong_address_first():
    """A name of several addresses: the one that answers is found."""
    with Monitor() as m:
        port = m.address.rsplit(":", 1)[1]
        done = run("source", f"localhost:{port}", "--id", "s", text="7\n")
        check(done.returncode == 0, done.stderr)
        m.wait(lambda v: v["value"] == "7")


def two_sources_with_one_id():
    """Each takes the other's place, and the monitor says so, once; restarts alone are no such thing."""
    with Monitor() as m:
        for _ in range(3):
            done = run("source", m.address, "--id", "twin", text="x\n")
            check(done.returncode == 0, done.stderr)
        one, two = (Source(m.address, "--id", "twin", period_s=.05) for _ in range(2))
        try:
            check(not [e for e in m.errors if "twin" in e], m.errors)
            end = time.monotonic() + 30
            while time.monotonic() < end and not m.errors:
                time.sleep(.05)
            time.sleep(.5)
            check(len(m.errors) == 1 and "two sources" in m.errors[0] and "twin" in m.errors[0], m.errors)
        finally:
            one.going = two.going = False
            one.process.kill()
            two.process.kill()
            one.process.wait()
            two.process.wait()


TESTS = [outage] if len(sys.argv) > 2 else [monitor_restart, source_restart, address_change, outage, suspended, forged,
                                            wrong_address_first, two_sources_with_one_id]
sys.exit(main(TESTS))
