#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""live_page.py WEIR: the page of `weir monitor --http` in headless Chromium while sources send: rows, teeth, search,
order, phone and dark, and what it says when the monitor is gone."""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "report"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from browser import Browser, program  # noqa: E402
from telemetry_common import Monitor, Source, check, main  # noqa: E402

NAMES = ("boiler", "greenhouse", "<b>&amp;\"'")
IDS = "[...document.querySelectorAll('.row:not(.head) .id')].map(e => e.firstChild.textContent)"
# Pixels that are drawn in each row's chart.
INK = """[...document.querySelectorAll('canvas')].map(c => {
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })"""


def wait(page, script, timeout_s=60):
    end = time.monotonic() + timeout_s
    while not page.run(script):
        check(time.monotonic() < end, "never true:", script)
        time.sleep(.1)


def looks(page, url, width, dark):
    page.open(url, width=width, height=844 if width < 500 else 900, dark=dark, touch=width < 500)
    wait(page, f"{IDS}.length === {len(NAMES)}")
    wait(page, f"{INK}.every(n => n > 100)")
    name = f"{width} {'dark' if dark else 'light'}:"
    check(not page.complaints, name, page.complaints)
    check(page.run("document.documentElement.scrollWidth") <= width, name, "sticks out")
    check(all(r.startswith(url) or r.startswith("data:") for r in page.requests), name, page.requests)
    cut = page.run("[...document.querySelectorAll('.number, .id')].filter(e => e.offsetParent && "
                   "e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)")
    check(not cut, name, "text is cut:", cut)
    contrast = page.run("getComputedStyle(document.body).backgroundColor")
    check(contrast == ("rgb(16, 21, 27)" if dark else "rgb(246, 247, 249)"), name, contrast)


def page_while_sources_send():
    with Monitor("--http", "127.0.0.1:0") as m, Browser(online=True) as page:
        url = m.pages[0]
        page.open(url)
        wait(page, "document.getElementById('state').textContent === 'live'")
        check("weir source" in page.run("document.getElementById('empty').innerText"), "what to do is said")
        sources = [Source(m.address, "--id", name, period_s=.05 * (i + 1)) for i, name in enumerate(NAMES)]
        wait(page, f"{IDS}.length === {len(NAMES)}")
        check(sorted(page.run(IDS)) == sorted(NAMES), "names are text, not markup", page.run(IDS))
        for width in (1400, 390):
            for dark in (False, True):
                looks(page, url, width, dark)
        page.run("(e => { e.value = 'GREEN'; e.dispatchEvent(new Event('input')); })(document.getElementById('search'))")
        wait(page, f"{IDS}.join() === 'greenhouse'")
        page.run("(e => { e.value = ''; e.dispatchEvent(new Event('input')); })(document.getElementById('search'))")
        page.run("(e => { e.value = 'age down'; e.dispatchEvent(new Event('change')); })(document.getElementById('sort'))")
        wait(page, f"{IDS}.length === {len(NAMES)}")
        sources[1].process.kill()
        sources[1].going = False
        wait(page, f"{IDS}[0] === 'greenhouse'")  # the oldest comes first
        wait(page, "document.querySelector('.row.silent .id')?.firstChild.textContent === 'greenhouse'")
        for s in (sources[0], sources[2]):
            s.end()
        check(not page.complaints, page.complaints)
        m.end()
        wait(page, "document.getElementById('state').textContent.startsWith('no contact')")


if not program():
    print("no chromium here")
    sys.exit(77)
sys.exit(main([page_while_sources_send]))
