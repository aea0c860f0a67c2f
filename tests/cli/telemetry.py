#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""telemetry.py WEIR: `weir source` and `weir monitor` as a person uses them, in plain on loopback."""
import base64
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from telemetry_common import Failed, Monitor, Source, check, main, never_backwards, run


def two_terminals():
    """Lines go over, the last one surely, newest only, with an age."""
    with Monitor("--count", "1000000") as m:
        done = run("source", m.address, "--id", "greenhouse", "--json", text="".join(f"{i}\n" for i in range(1000)))
        check(done.returncode == 0, done.stderr)
        last = m.wait(lambda v: v["value"] == "999")
        check(last["id"] == "greenhouse", last)
        check(last["age_ms"] is None or -1 < last["age_ms"] < 60000, last)
        summary = json.loads(done.stdout)
        check(summary["schema"] == "weir.source/1" and summary["settled"], summary)
        check(summary["values"]["offered"] == 1000, summary)
        check(summary["values"]["replaced"] > 0, "newest only", summary)
        m.end()
        never_backwards(m.values, "greenhouse")
        check(m.process.returncode == 0, m.process.returncode)


def values_of_all_kinds():
    """Records, bytes that are no text, an empty line, a file that is replaced, a sensor."""
    with Monitor() as m, tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.argv[1], "source", m.address, "--id", "records", "--record", "4"],
                              input=b"\0\xff\1\2tail", capture_output=True, timeout=60, check=False)
        check(done.returncode == 0, done.stderr)
        got = m.wait(lambda v: v["id"] == "records" and v.get("value") == "tail" or "value_base64" in v)
        if "value_base64" in got:
            check(base64.b64decode(got["value_base64"]) == b"\0\xff\1\2", got)
        check(run("source", m.address, "--id", "empty", text="\n").returncode == 0, "an empty value")
        check(m.wait(lambda v: v["id"] == "empty")["value"] == "", "empty")
        path = os.path.join(folder, "state")
        with open(path, "w", encoding="utf-8") as f:
            f.write("one\n")
        source = subprocess.Popen([sys.argv[1], "source", m.address, "--id", "file", "--file", path])
        m.wait(lambda v: v["id"] == "file" and v["value"] == "one")
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write("two")
        os.replace(path + ".new", path)
        m.wait(lambda v: v["id"] == "file" and v["value"] == "two")
        source.send_signal(signal.SIGINT)
        check(source.wait(60) == 0, "ends on SIGINT")
        marker = f"weir-sensor-{os.getpid()}"
        source = subprocess.Popen([sys.argv[1], "source", m.address, "--id", "sensor", "--command",
                                   f"echo 21.5; : {marker}"])
        m.wait(lambda v: v["id"] == "sensor" and v["value"] == "21.5")
        source.terminate()
        check(source.wait(60) == 0, "ends on SIGTERM")
        source = subprocess.Popen([sys.argv[1], "source", m.address, "--command", f"sleep 300; : {marker}"])
        while marker not in processes():
            time.sleep(.02)
        source.terminate()
        check(source.wait(60) == 0, "ends while its sensor is asked")
        gone_by = time.monotonic() + 10  # killed, but it may take a busy machine a while to bury it
        while marker in processes() and time.monotonic() < gone_by:
            time.sleep(.02)
        check(marker not in processes(), "the sensor is left behind")


def processes():
    text = ""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read().replace(b"\0", b" ").decode(errors="replace")
                text += line + "\n" if line.startswith("sh ") else ""
        except OSError:
            pass
    return text


def too_large():
    """Field case C2: a value that no datagram takes is dropped whole, and said."""
    with Monitor() as m:
        done = run("source", m.address, "--id", "large", "--json", text="x" * 5000 + "\nfits\n")
        check(done.returncode == 0 and "5000 bytes is dropped" in done.stderr, done.stderr)
        check(json.loads(done.stdout)["values"]["too_large"] == 1, done.stdout)
        check(m.wait(lambda v: v["id"] == "large")["value"] == "fits", "the other arrives")


def nobody_there():
    """Exit 1 and a word about what is missing; with an address that nobody allows: exit 2 and what to do."""
    done = run("source", "127.0.0.1:9", "--linger", "300ms", text="x\n")
    check(done.returncode == 1 and "does `weir monitor` run there" in done.stderr, done.stderr)
    for words in (["source", "192.0.2.1"], ["monitor", "*"], ["monitor", "192.0.2.1:5"]):
        done = run(*words, text="x\n")
        check(done.returncode == 2 and "--insecure" in done.stderr, words, done.stderr)
    done = run("monitor", "--http", "0.0.0.0:0")
    check(done.returncode == 2 and "--open-web" in done.stderr, done.stderr)
    for words in (["source", "127.0.0.1:x"], ["source", "127.0.0.1", "--controller", "acp-plsu"],
                  ["source", "127.0.0.1", "--set", "x=1"], ["source", "127.0.0.1", "--record", "0"],
                  ["source", "127.0.0.1", "--id", ""], ["source", "127.0.0.1", "--id", "x" * 32],
                  ["source", "127.0.0.1", "--file", "a", "--command", "b"], ["source"], ["source", "a", "b"],
                  ["source", "127.0.0.1", "--floor", "5 Hz", "--ceiling", "1 Hz"], ["monitor", "--sources", "0"],
                  ["monitor", "--exec-jobs", "2"]):
        check(run(*words).returncode == 2, words)


def slow_reader():
    """Who does not read stops nothing: the source goes on being acknowledged, and afterwards the newest comes."""
    with Monitor("--metrics", "127.0.0.1:0", read=False) as m:
        with Source(m.address, "--id", "busy", period_s=0) as s:
            text = "y" * 1000
            end, i = time.monotonic() + 60, 0
            while metric(m, 'weir_output_values_total{result="superseded"}') == 0:
                check(time.monotonic() < end, "nothing was superseded")
                for _ in range(50):
                    i += 1
                    s.put(f"{i:09d}{text}")
                    time.sleep(.0005)
            s.put("last")
            summary = s.end()
        check(summary["settled"], "the source was held up", summary)
        m.read()
        m.wait(lambda v: v["value"] == "last")
        got = [int(v["value"][:9]) for v in m.values if v["value"] != "last"]
        check(got == sorted(set(got)), "stale after newer")


def metric(m, name):
    with urllib.request.urlopen(m.pages[0].split("metrics")[0] + "metrics", timeout=30) as f:
        text = f.read().decode()
    found = re.search("^" + re.escape(name) + r" (\S+)$", text, re.M)
    check(found, "no metric", name)
    return float(found.group(1))


def commands():
    """--exec: never two at a time for one source, the newest value, all that is promised in the environment."""
    with tempfile.TemporaryDirectory() as folder:
        script = (f'cd {folder}; mkdir running || echo two >>bad; read -r x; [ "$x" = "$WEIR_VALUE" ] || echo "$x" >>bad; '
                  'echo "$WEIR_ID $WEIR_SEQ $WEIR_AGE_MS $WEIR_VALUE" >>log; sleep .1; rmdir running')
        with Monitor("--exec", script) as m:
            with Source(m.address, "--id", "e") as s:
                log = os.path.join(folder, "log")
                end = time.monotonic() + 60
                while not os.path.exists(log) or len(open(log, encoding="utf-8").readlines()) < 4:
                    check(time.monotonic() < end, "no command ran")
                    time.sleep(.05)
                s.end()
            m.end()
        check(not os.path.exists(os.path.join(folder, "bad")), "two at a time, or another value")
        with open(log, encoding="utf-8") as f:
            lines = [line.split() for line in f]
        got = [int(line[-1]) for line in lines]
        check(got == sorted(set(got)), got)
        check(got[-1] - got[0] > len(got), "newest only", got)
        check(all(line[0] == "e" for line in lines), lines)


def pages():
    """Metrics: HELP and TYPE of each family once, one series each; a request in another machine's name is refused."""
    with Monitor("--http", "127.0.0.1:0") as m:
        for name in ("a", 'quo"te\\', "\xe4"):
            check(run("source", m.address, "--id", name, text="1\n").returncode == 0, name)
        m.wait(lambda v: v["id"] == "\xe4")
        page = m.pages[0]
        with urllib.request.urlopen(page + "metrics", timeout=30) as f:
            text = f.read().decode()
            check(f.headers["Content-Type"].startswith("text/plain; version=0.0.4"), f.headers)
        helps, types, seen = [], {}, set()
        for line in text.splitlines():
            if line.startswith("# HELP "):
                helps.append(line.split()[2])
            elif line.startswith("# TYPE "):
                types[line.split()[2]] = line.split()[3]
            else:
                found = re.fullmatch(r'([a-z_]+)(\{[a-z]+="(?:[^"\\]|\\["\\n])*"(?:,[a-z]+="[^"]*")*\})? (\S+)', line)
                check(found, "bad line", line)
                float(found.group(3))
                key = found.group(1) + (found.group(2) or "")
                check(key not in seen, "twice", key)
                seen.add(key)
                family = found.group(1)
                if family not in types:
                    family = re.sub("_(bucket|sum|count)$", "", family)
                check(family in types and family == helps[-1], "no TYPE", line)
                check(family.endswith("_total") == (types[family] == "counter"), line)
        check(len(helps) == len(set(helps)), "HELP twice")
        check('source="quo\\"te\\\\"' in text, "escaped")
        for url, headers, method, code in ((page, {"Host": "evil.example"}, "GET", 403), (page + "x", {}, "GET", 404),
                                           (page, {}, "POST", 405)):
            request = urllib.request.Request(url, headers=headers, method=method)
            try:
                urllib.request.urlopen(request, timeout=30)
                raise Failed(f"{url} {headers} was answered")
            except urllib.error.HTTPError as error:
                check(error.code == code, error.code, code)
        with urllib.request.urlopen(page + "events?search=QUO&sort=age&order=down", timeout=30) as f:
            while True:
                line = f.readline().decode()
                if line.startswith("data: "):
                    break
            event = json.loads(line[6:])
            check([r["id"] for r in event["rows"]] == ['quo"te\\'] and event["sources"] == 3, event)
        with urllib.request.urlopen(page, timeout=30) as f:
            policy = f.headers["Content-Security-Policy"]
            nonce = re.search("script-src 'nonce-([0-9a-f]{32})'", policy).group(1)
            check(f.read().decode().count(nonce) == 2, "the page carries its number")


sys.exit(main([two_terminals, values_of_all_kinds, too_large, nobody_there, slow_reader, commands, pages]))
