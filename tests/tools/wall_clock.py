#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Field case A11: the wall clock may be stepped at any time. No source reads it or waits by it, but for those that
say in a capture, or beside a value, what time of day it is, and the one that compares the kernel's stamps of datagrams,
which are in it, with a clock that is never set (src/net/udp.c; tests/net/test_clock_step.c)."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])
WALL = re.compile(r"\b(CLOCK_REALTIME\w*|CLOCK_TAI|gettimeofday|time|ftime|timespec_get|localtime\w*|gmtime\w*|mktime"
                  r"|settimeofday|clock_settime|pthread_cond_timedwait|sem_timedwait|pthread_mutex_timedlock"
                  r"|pthread_rwlock_timed\w+|mtx_timedlock|cnd_timedwait|mq_timed\w+|ITIMER_REAL|alarm)\b(?=\s*(\(?))")
ONCE = {file: ["CLOCK_REALTIME"] for file in ("src/record/live.c", "src/cli/cmd_monitor.c", "src/net/udp.c")}


def code(text):
    """Without comments and the insides of strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', " ", text, flags=re.S)


def found(path):
    for match in WALL.finditer(code(path.read_text(encoding="utf-8"))):
        # `time` and `alarm` are words for many things: only a call counts.
        if match.group(1).isupper() or match.group(2) == "(":
            yield match.group(1)


def main():
    breaches = []
    for path in sorted([*ROOT.glob("src/*/*.[ch]"), *ROOT.glob("include/weir/*.h")]):
        name = path.relative_to(ROOT).as_posix()
        words = list(found(path))
        if words != ONCE.get(name, []):
            breaches.append(f"{name}: {', '.join(words) or 'not any more'}")
    # The search itself finds what it is for.
    probe = code('x = clock_gettime(CLOCK_REALTIME, &t); /* time(0) */ "gettimeofday(" a.time = time (NULL);')
    if [m.group(1) for m in WALL.finditer(probe) if m.group(1).isupper() or m.group(2) == "("] != [
            "CLOCK_REALTIME", "time"]:
        breaches.append("the search does not find what it should")
    for breach in breaches:
        print(breach, file=sys.stderr)
    return 1 if breaches else 0


sys.exit(main())
