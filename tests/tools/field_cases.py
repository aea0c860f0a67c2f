#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/field-cases.md: every test that it names exists, and every test that names a case of A, B, D, F, H or I is in it."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])
ROW = re.compile(r"\| ([A-L]\d+(?:, [A-L]\d+)*) \| .* \| (.*) \|$")
TEST = re.compile(r"`([^`]+)`: ((?:`[^`]+`(?:, )?)+)")


def table():
    """{id: {file: [names]}} of the document."""
    cases = {}
    for line in (ROOT / "docs/field-cases.md").read_text(encoding="utf-8").splitlines():
        row = ROW.match(line)
        if not row:
            continue
        tests = {file: re.findall(r"`([^`]+)`", names) for file, names in TEST.findall(row.group(2))}
        for case in row.group(1).split(", "):
            cases[case] = tests
    return cases


def cases_in(text):
    """Ids in names of tests and in comments."""
    for line in text.splitlines():
        named = re.search(r"(?:static void|def) (\w+)\(", line)
        if named:
            for part in re.findall(r"(?:^|_)([ABDFHIabdfhi]\d{1,2})(?=_|$)", named.group(1)):
                yield part.upper()


def main():
    wrong, cases = [], table()
    if len(cases) < 30:
        wrong.append("docs/field-cases.md has no table")
    for case, tests in cases.items():
        if not tests:
            wrong.append(f"{case} names no test")
        for file, names in tests.items():
            text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
            wrong += [f"{case}: {file} holds no {name}" for name in names if name not in text]
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix not in (".c", ".py") or path.name == "field_cases.py":
            continue
        file = path.relative_to(ROOT).as_posix()
        for case in set(cases_in(path.read_text(encoding="utf-8"))):
            if file not in cases.get(case, {}):
                wrong.append(f"{file} has a test for {case}, and docs/field-cases.md does not say so")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
