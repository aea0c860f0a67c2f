#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""As hogs.py, at length: hogs 0, 1, 2 and 4, each priority of the ferry, RTT 50 and 10 ms, with and
without stamps of arrival. For check-long."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hogs  # noqa: E402  pylint: disable=wrong-import-position


def hogs_of_all_kinds():
    hogs.table((0, 1, 2, 4), ("off", "on", "auto"), (50, 10), (True, False), 8)


sys.exit(hogs.outside.main(hogs_of_all_kinds))
