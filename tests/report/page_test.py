#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_test.py WEIR: opens reports offline in headless Chromium and uses them as a person would."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402
import sample  # noqa: E402

failures = []


def check(what, ok, detail=""):
    print(("ok    " if ok else "FAIL  ") + what + (f": {detail}" if detail and not ok else ""), flush=True)
    if not ok:
        failures.append(what)


def report(weir, directory, kind):
    path = os.path.join(directory, kind)
    getattr(sample, kind)(path)
    subprocess.run([weir, "report", path], check=True, stderr=subprocess.DEVNULL, timeout=30)
    return os.path.join(path, "report.html")


# How many pixels of a chart have the colour of one of its curves.
INK = """(id) => {
  const chart = weirReport.charts.find(c => c.id === id);
  const wanted = chart.graph.getColors().filter(c => c).map(c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)));
  let ink = 0;
  for (const canvas of chart.section.querySelectorAll('canvas')) {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < data.length; i += 4) {
      ink += data[i + 3] > 100 && wanted.some(c => Math.abs(c[0] - data[i]) + Math.abs(c[1] - data[i + 1])
                                                 + Math.abs(c[2] - data[i + 2]) < 30);
    }
  }
  return ink;
}"""
BOX = """(id) => {
  const plot = document.querySelector('#chart-' + id + ' .plot');
  plot.scrollIntoView({block: 'center'});
  const r = plot.getBoundingClientRect();
  return [r.left, r.top, r.width, r.height];
}"""
VALUES = "(id) => [...document.querySelectorAll('#chart-' + id + ' .legend b')].map(b => b.textContent)"
RANGES = "(() => weirReport.charts.map(c => c.graph.xAxisRange()))()"
WIDTH = "document.scrollingElement.scrollWidth"


def on(page, script, argument):
    return page.run(f"({script})('{argument}')")


def looks(page, path, theme, width):
    """Readable at this width: nothing complains, nothing is loaded, all is drawn, nothing sticks out."""
    name = f"{os.path.basename(os.path.dirname(path))} {theme} {width}"
    page.open(path, width=width, height=844 if width < 500 else 1080, dark=theme == "dark", touch=width < 500)
    check(f"{name}: no complaint", not page.complaints, page.complaints[:2])
    check(f"{name}: nothing but the page is loaded", len(page.requests) == 1, page.requests)
    wide = page.run(WIDTH)
    check(f"{name}: no horizontal scroll", wide <= width, wide)
    empty = page.run("[...document.querySelectorAll('.chart')].filter(c => !c.closest('details') && "
                     f"({INK})(c.id.slice(6)) < 60).map(c => c.id)")
    check(f"{name}: every open chart has curves", empty == [], empty)
    clipped = page.run("[...document.querySelectorAll('h1,h2,h3,.tile,.legend,figcaption')].filter(e => "
                       "e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').length")
    check(f"{name}: no text is cut", clipped == 0, clipped)


def hover(page):
    left, top, width, height = on(page, BOX, "throughput")
    page.mouse("mouseMoved", left + width * .8, top + height / 2)
    page.settle()
    here, there = on(page, VALUES, "throughput"), on(page, VALUES, "rtt")
    check("hover: the chart shows values", len(here) == 4 and all(v[:1].isdigit() for v in here), here)
    check("hover: so do the others", len(there) == 2 and all(v[:1].isdigit() for v in there), there)
    at = page.run("weirReport.charts.map(c => c.crosshair.style.display + c.graph.toDataXCoord("
                  "parseFloat(c.crosshair.style.left)).toFixed(1))")
    check("hover: one crosshair at one time in all", len(set(at)) == 1 and at[0].startswith("block"), at)
    clock = page.run("document.querySelector('.tools output').textContent")
    check("hover: the clock shows the time", clock.endswith(" s") and 22 < float(clock[:-2]) < 26, clock)
    left, top, width, height = on(page, BOX, "rtt")
    page.mouse("mouseMoved", left + width * .42, top + height / 2)
    page.settle()
    values = on(page, VALUES, "rtt")
    check("hover: a flow that is away has a gap", values[0][:1].isdigit() and values[1] == "–", values)
    choice = page.run("weirReport.charts.filter(c => c.words).map(c => c.id)")
    check("a choice has a chart in the open, of the flow whose words it has", len(choice) == 1, choice)
    left, top, width, height = on(page, BOX, choice[0])
    for at, word in ((.06, "delay"), (.18, "competitive")):
        page.mouse("mouseMoved", left + 46 + (width - 58) * at, top + height / 2)
        page.settle()
        check(f"hover: a choice shows its word: {word}", on(page, VALUES, choice[0]) == [word], on(page, VALUES, choice[0]))
    page.mouse("mouseMoved", 2, 2)
    page.settle()
    check("hover: it ends", set(on(page, VALUES, "throughput")) == {"–"}, on(page, VALUES, "throughput"))


def zoom(page):
    def same(ranges):
        return all(abs(a - ranges[0][0]) < 1e-6 and abs(b - ranges[0][1]) < 1e-6 for a, b in ranges)

    left, top, width, height = on(page, BOX, "delay")
    page.drag(left + width * .3, top + height / 2, left + width * .6, top + height / 2)
    page.settle()
    zoomed = page.run(RANGES)
    check("zoom: dragging narrows the window", 5 < zoomed[0][1] - zoomed[0][0] < 12, zoomed[0])
    check("zoom: of all charts", len(zoomed) > 5 and same(zoomed), zoomed)
    shorter = page.run("document.querySelector('#chart-throughput .about').textContent")
    check("zoom: rates are means over less", shorter in ("mean over 90 ms", "mean over 87.6 ms")
          or float(shorter.split()[2]) < 200, shorter)
    page.drag(left + width * .6, top + height / 2, left + width * .4, top + height / 2, modifiers=8)
    page.settle()
    moved = page.run(RANGES)
    check("zoom: shift-drag moves all", same(moved) and moved[0][0] > zoomed[0][0] + .5
          and abs((moved[0][1] - moved[0][0]) - (zoomed[0][1] - zoomed[0][0])) < .01, [zoomed[0], moved[0]])
    for press in (1, 2):
        page.mouse("mousePressed", left + width / 2, top + height / 2, button="left", clickCount=press)
        page.mouse("mouseReleased", left + width / 2, top + height / 2, button="left", clickCount=press)
    page.settle()
    check("zoom: a double click shows all again", same(page.run(RANGES)) and page.run("weirReport.range()") == [0, 30],
          page.run(RANGES)[0])
    page.run("document.querySelector('[data-do=in]').click()")
    page.run("document.querySelector('[data-do=left]').click()")
    check("zoom: buttons do it too", page.run("weirReport.range()") == [0, 15], page.run("weirReport.range()"))
    page.run("document.querySelector('[data-do=all]').click()")


def more(page):
    page.run("document.querySelectorAll('.chips button')[0].click()")
    off = page.run("weirReport.charts.every(c => c.lines.every((l, i) => c.graph.visibility()[i] === (l.entity !== 0)))")
    check("a flow can be hidden in all charts", off)
    page.run("document.querySelectorAll('.chips button')[0].click()")
    before = page.run("weirReport.charts.length")
    page.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.settle()
    page.settle()
    names = page.run("weirReport.charts.map(c => c.id)")
    check("a block that opens draws its charts", len(names) > before and "goodput" in names, names)
    drawn = page.run(f"weirReport.charts.every(c => ({INK})(c.id) > 60)")
    check("and they have curves", drawn)
    check("still no complaint", not page.complaints, page.complaints[:2])


# WCAG's contrast of each line's colour against the card.
CONTRAST = """(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue(name).trim().slice(1);
    const c = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
      .map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * c[0] + .7152 * c[1] + .0722 * c[2];
  };
  const ratio = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  return [0, 1, 2, 3, 4, 5, 6, 7, 8].map(i => ratio(light('--c' + i), light('--card')))
    .concat(['--ink', '--soft'].map(n => ratio(light(n), light('--page')) / 1.5));
})()"""


def themes(page):
    seen = set()
    for theme in ("light", "dark"):
        page.theme(theme == "dark")
        page.settle()
        contrast = page.run(CONTRAST)
        check(f"{theme}: lines stand out by 3:1, text by 4.5:1", min(contrast) >= 3, contrast)
        seen.add(page.run("getComputedStyle(document.body).backgroundColor + weirReport.charts[0].graph.getColors()[1]"))
    check("page and curves follow a change of theme", len({s[:-7] for s in seen}) == len({s[-7:] for s in seen}) == 2,
          seen)


def hostile(page):
    text = page.run("document.body.textContent")
    for name in sample.HOSTILE:
        check(f"hostile names: {name!r} is text", name in text)
    check("hostile names: no element came of them", page.run(
        "document.querySelectorAll('main img, main b > script, td b, h1 script, pre script').length") == 0)
    check("hostile names: the title is a title", page.run("document.title") == "</title><script>alert(3)</script>")
    left, top, width, height = on(page, BOX, "throughput")
    page.mouse("mouseMoved", left + width / 2, top + height / 2)
    page.settle()
    values = on(page, VALUES, "throughput")
    check("hostile names: each has its value", len(values) == 7 and all(v[:1].isdigit() for v in values), values)


def without_scripts(page, path):
    page.open(path, scripts=False)
    page.screenshot(os.devnull)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check("without scripts: a figure in each chart", text.count("<noscript>") == text.count('<section class="chart')
          and text.count("<svg") >= text.count("<noscript>"))
    check("without scripts: no complaint", not page.complaints, page.complaints[:2])


def main(weir):
    if not browser.program():
        print("skipped: chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="weir-page-") as directory, browser.Browser() as page:
        pages = {kind: report(weir, directory, kind) for kind in ("two", "many", "side", "hostile", "tiny")}
        looks(page, pages["two"], "dark", 390)
        looks(page, pages["two"], "dark", 1920)
        looks(page, pages["two"], "light", 390)
        looks(page, pages["two"], "light", 1920)
        hover(page)
        zoom(page)
        more(page)
        themes(page)
        for kind in ("many", "side", "tiny", "hostile"):
            looks(page, pages[kind], "light", 390)
        hostile(page)
        without_scripts(page, pages["two"])
        sizes = {kind: os.path.getsize(path) for kind, path in pages.items()}
        check("files stay below 5 MB", max(sizes.values()) < 5e6, sizes)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
