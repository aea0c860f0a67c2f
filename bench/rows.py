# SPDX-License-Identifier: MIT
"""One figure of a benchmark: as a line for people and as a row of bench/results.json."""


def row(name, value, unit, goal=None, peer=None, higher_is_better=True, spread=None):
    """`peer`: (what was measured how, its value). `ratio`: over 1 where the goal is met. `spread`: the least and the
    most of the runs whose median the value is."""
    def against(other):
        better, worse = (value, other) if higher_is_better else (other, value)
        return better / max(worse, other / 1000)  # an error of nothing is not infinitely good
    ratio = None if goal is None else against(goal)
    line = f"{name:<34} {value:>10.2f} {unit:<22}"
    if spread:
        line += f" ({spread[0]:.2f} to {spread[1]:.2f})"
    if goal is not None:
        line += f" goal {goal:>8.2f}   {ratio:5.2f} of the goal"
    if peer:
        line += f"{',' if goal is not None else ''} {against(peer[1]):.1f} x {peer[0]}"
    print(line, flush=True)
    result = {"name": name, "value": value, "unit": unit, "goal": goal,
              "peer": {"name": peer[0], "value": peer[1]} if peer else None, "ratio": ratio}
    if spread:
        result["spread"] = spread
    return result


def merge(old, new):
    """Rows of `old` that `new` does not measure again, then `new`."""
    names = {r["name"] for r in new}
    return [r for r in old if r["name"] not in names] + new
