# SPDX-License-Identifier: MIT
"""One figure of a benchmark: as a line for people and as a row of bench/results.json."""


def row(name, value, unit, goal=None, peer=None, higher_is_better=True):
    """`peer`: (what was measured how, its value). `ratio`: over 1 where the goal is met."""
    ratio = None
    if goal is not None and value:
        ratio = value / goal if higher_is_better else goal / value
    line = f"{name:<34} {value:>10.2f} {unit:<22}"
    if goal is not None:
        line += f" goal {goal:>8.2f}   {ratio:5.2f} of the goal"
    if peer:
        times = value / peer[1] if higher_is_better else peer[1] / max(value, 1e-9)
        line += f"{',' if goal is not None else ''} {times:.1f} x {peer[0]}"
    print(line, flush=True)
    return {"name": name, "value": value, "unit": unit, "goal": goal,
            "peer": {"name": peer[0], "value": peer[1]} if peer else None, "ratio": ratio}


def merge(old, new):
    """Rows of `old` that `new` does not measure again, then `new`."""
    names = {r["name"] for r in new}
    return [r for r in old if r["name"] not in names] + new
