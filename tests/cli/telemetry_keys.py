#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""telemetry_keys.py WEIR: `weir source` and `weir monitor` with keys and certificates: two terminals, wrong keys and files,
what goes wrong on the way (fresh again within 3 s and three round trips), strangers, and another implementation of DTLS."""
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from telemetry_common import WEIR, Monitor, Relay, Source, check, main, never_backwards, run

FRESH_S = 3 + .5  # three round trips of loopback, and Python between
BUSY_S = 6        # what a machine with much else to do may add

folder = tempfile.TemporaryDirectory()
KEYS = os.path.join(folder.name, "keys")


def make_keys():
    with open(os.open(KEYS, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as f:
        for name in ("one", "two"):
            done = run("monitor", "--make-key", name)
            check(done.returncode == 0 and done.stdout.startswith(name + ":") and done.stdout.count("\n") == 1, done)
            check("secret" in done.stderr and done.stdout.strip() not in done.stderr, done.stderr)
            f.write(done.stdout)


def secrets():
    with open(KEYS, encoding="utf-8") as f:
        return [line.strip().split(":")[1] for line in f]


def with_key(name, path=KEYS):
    return ("--key", f"{name}:{path}")


def write(name, text, mode=0o600):
    path = os.path.join(folder.name, name)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode), "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def two_terminals():
    """As in the README: a key made once, its line on both sides; no key in anything that is printed."""
    with Monitor("--keys", KEYS) as m:
        done = run("source", m.address, "--id", "s", *with_key("one"), "--json", text="".join(f"{i}\n" for i in range(300)))
        check(done.returncode == 0, done.stderr)
        m.wait(lambda v: v["value"] == "299")
        m.end()
        never_backwards(m.values, "s")
        said = done.stdout + done.stderr + "".join(m.errors) + str(m.values)
        check(not any(key in said for key in secrets()), "a key in the output")


def a_missing_file_says_how_it_is_made():
    done = run("monitor", "127.0.0.1:0", "--keys", os.path.join(folder.name, "none"))
    check(done.returncode == 2 and "weir monitor --make-key NAME" in done.stderr, done.stderr)
    done = run("source", "127.0.0.1:9", "--key", "one:" + os.path.join(folder.name, "none"))
    check(done.returncode == 2 and "weir monitor --make-key one" in done.stderr, done.stderr)


def nothing_in_plain_on_the_wire():
    with Monitor("--keys", KEYS) as m, Relay(m.address) as relay:
        done = run("source", relay.address, "--id", "hidden", *with_key("one"), text="a secret value\n")
        check(done.returncode == 0, done.stderr)
        m.wait(lambda v: v["value"] == "a secret value")
        seen = b"".join(relay.up + relay.down)
        check(b"secret value" not in seen and b"hidden" not in seen, "readable on the way")


def plain_is_not_heard():
    with Monitor("--keys", KEYS) as m:
        done = run("source", m.address, "--id", "s", "--linger", "1s", text="forged\n")
        check(done.returncode != 0, "without a key", done)
        m.end()
        check(not m.values, m.values)


def wrong_keys_and_files():
    bad = write("bad", "one:00112233445566778899aabbccddeeff\nnobody:00112233445566778899aabbccddeeff\n")
    with Monitor("--keys", KEYS) as m:
        for name in ("one", "nobody"):
            done = run("source", m.address, *with_key(name, bad), "--linger", "4s", text="forged\n")
            check(done.returncode != 0 and f"does not confirm the key of '{name}'" in done.stderr, done)
        m.end()
        check(not m.values, m.values)
    for arguments, says in (
            (("monitor", "127.0.0.1:0", "--keys", write("open", "a:" + "0" * 32, 0o644)), "chmod 600"),
            (("monitor", "127.0.0.1:0", "--keys", write("short", "# x\n a:0011\n")), "short:2:4: a key is 32 to 128"),
            (("monitor", "127.0.0.1:0", "--keys", os.path.join(folder.name, "missing")), "No such file"),
            (("source", "127.0.0.1:1", *with_key("three")), "no line of identity 'three'"),
            (("source", "127.0.0.1:1", "--key", "one:"), "expected ID:FILE"),
            (("source", "127.0.0.1:1", "--cert", KEYS), "belong together"),
            (("source", "127.0.0.1:1", "--insecure", *with_key("one")), "--insecure"),
            (("monitor", "--make-key", "a b"), "an identity is")):
        done = run(*arguments)
        check(done.returncode == 2 and says in done.stderr, arguments, done)
        check(not any(key in done.stderr for key in secrets()), "a key in a message")


def fresh_again(monitor, source, since):
    newest = source.n
    monitor.wait(lambda v: v["id"] == "s" and int(v["value"]) >= newest)
    took = time.monotonic() - since
    check(took < FRESH_S + BUSY_S, "fresh again only after", took)
    print(f"    fresh again after {took * 1e3:.0f} ms")


def monitor_restart():
    """It forgets all sessions, with and without a goodbye."""
    for end in (lambda p: p.terminate(), lambda p: p.kill()):
        with Monitor("--keys", KEYS) as m, Relay(m.address) as relay:
            with Source(relay.address, "--id", "s", *with_key("one")) as s:
                m.wait(lambda v: int(v["value"]) > 5)
                end(m.process)
                m.process.wait(30)
                time.sleep(.5)
                with Monitor("--keys", KEYS, address=m.address) as again:
                    fresh_again(again, s, time.monotonic())
                    s.end()
                    again.end()
                    never_backwards(again.values, "s")


def address_change():
    """A NAT forgets: a resumed handshake from another port, and the same source goes on."""
    with Monitor("--keys", KEYS) as m, Relay(m.address) as relay, Source(relay.address, "--id", "s", *with_key("one")) as s:
        for _ in range(2):
            mark = s.n
            m.wait(lambda v, mark=mark: int(v["value"]) > mark)
            relay.rebind()
            fresh_again(m, s, time.monotonic())
        summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check(sorted(v["seq"] for v in m.values) == [v["seq"] for v in m.values], "the numbers go on")
        check(summary["settled"], summary)


def outage():
    with Monitor("--keys", KEYS) as m, Relay(m.address) as relay, Source(relay.address, "--id", "s", *with_key("one")) as s:
        m.wait(lambda v: int(v["value"]) > 5)
        relay.cut = True
        time.sleep(4)
        m.drain()
        relay.cut = False
        fresh_again(m, s, time.monotonic())
        s.end()
        m.end()
        never_backwards(m.values, "s")


def forged():
    """All that strangers can do with what they saw: nothing of it is told, and the source goes on."""
    random.seed(1)
    with Monitor("--keys", KEYS) as m, Relay(m.address) as relay, Source(relay.address, "--id", "s", *with_key("one")) as s:
        m.wait(lambda v: int(v["value"]) > 10)
        attacker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        attacker.settimeout(.3)
        up, down = relay.up[-60:], relay.down[-60:]
        for data in up:
            for send, to in ((attacker, relay.target), (relay.outer, relay.target), (relay.inner, relay.source)):
                send.sendto(data, to)
                send.sendto(data[:random.randrange(len(data))], to)
                at = random.randrange(len(data))
                send.sendto(data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:], to)
        for data in down:
            relay.inner.sendto(data, relay.source)
            relay.outer.sendto(data, relay.target)
        asked = answered = 0
        hello = next(d for d in relay.up if d[0] == 22)
        for _ in range(20):  # a hello without a cookie, and pieces of it: never more comes back
            attacker.sendto(hello, relay.target)
            asked += len(hello)
        try:
            while True:
                answered += len(attacker.recv(4096))
        except TimeoutError:
            pass
        check(0 < answered <= asked, "amplified", answered, asked)
        mark = s.n
        m.wait(lambda v: int(v["value"]) > mark + 5)
        summary = s.end()
        m.end()
        never_backwards(m.values, "s")
        check({v["id"] for v in m.values} == {"s"}, "a source that nobody is")
        check(summary["settled"], summary)


def nobody_takes_over_a_name():
    """Another key under the same name is another source, and the lines say whose key it was."""
    with Monitor("--keys", KEYS) as m, Source(m.address, "--id", "s", *with_key("one")) as s:
        m.wait(lambda v: int(v["value"]) > 5)
        done = run("source", m.address, "--id", "s", *with_key("two"), text="-1\n")
        check(done.returncode == 0, done.stderr)
        check(m.wait(lambda v: v["value"] == "-1")["key"] == "two", "whose key")
        mark = s.n
        check(m.wait(lambda v: int(v["value"]) > mark)["key"] == "one", "whose key")
        s.end()
        m.end()
        never_backwards([v for v in m.values if v["key"] == "one"], "s")


def certificates():
    if not shutil.which("openssl"):
        print("    skipped: no openssl")
        return
    at = folder.name

    def openssl(*words):
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False, cwd=at)
        check(done.returncode == 0, words, done.stderr)

    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-keyout", name + ".key", "-out", name + ".crt", "-subj", "/CN=" + name)
    for name, alternative in (("monitor", "DNS:localhost,IP:127.0.0.1"), ("sensor", "DNS:sensor")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out",
                name + ".csr", "-subj", "/CN=" + name)
        write("extensions", "subjectAltName=" + alternative)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
                "-extfile", "extensions", "-out", name + ".crt")

    def of(name, authority):
        return ("--cert", f"{at}/{name}.crt", "--private-key", f"{at}/{name}.key", "--ca", f"{at}/{authority}.crt")

    with Monitor(*of("monitor", "ca")) as m:
        done = run("source", m.address, "--id", "s", *of("sensor", "ca"), text="7\n")
        check(done.returncode == 0, done.stderr)
        m.wait(lambda v: v["value"] == "7")
        done = run("source", m.address, *of("sensor", "other"), "--linger", "1s", text="8\n")
        check(done.returncode != 0 and "certificate is not accepted" in done.stderr, done)
        m.end()
        check(len(m.values) == 1, m.values)


def another_implementation():
    """openssl s_client speaks to the monitor with the same key, in both exchanges."""
    if not shutil.which("openssl"):
        print("    skipped: no openssl")
        return
    with Monitor("--keys", KEYS) as m:
        for suite in ("ECDHE-PSK-CHACHA20-POLY1305", "PSK-AES128-GCM-SHA256"):
            client = subprocess.Popen(["openssl", "s_client", "-dtls1_2", "-connect", m.address, "-psk_identity", "one",
                                       "-psk", secrets()[0], "-cipher", suite], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                said = ""
                while "Cipher    :" not in said:
                    line = client.stdout.readline()
                    check(line, "openssl ended", said)
                    said += line
                check(suite in said.splitlines()[-1], said)
                client.communicate("no packet of ours\nQ\n", timeout=30)
            finally:
                client.kill()
                client.wait()
        done = run("source", m.address, "--id", "s", *with_key("one"), text="7\n")
        check(done.returncode == 0, done.stderr)
        m.end()
        check([v["value"] for v in m.values] == ["7"], m.values)


def built_with_keys():
    done = subprocess.run([WEIR, "source", "127.0.0.1:1", *with_key("one"), "--duration", "0.01s"], input="", text=True,
                          capture_output=True, timeout=60, check=False)
    return done.returncode != 3, done.stderr


make_keys()
built, why = built_with_keys()
if not built:
    print("skipped:", why)
    sys.exit(77)
sys.exit(main([two_terminals, a_missing_file_says_how_it_is_made, nothing_in_plain_on_the_wire, plain_is_not_heard, wrong_keys_and_files, monitor_restart,
               address_change, outage, forged, nobody_takes_over_a_name, certificates, another_implementation]))
