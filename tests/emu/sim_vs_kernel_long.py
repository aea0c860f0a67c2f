#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""experiments/weir/sim-vs-kernel: the quick set, then the whole. Its runs stay in the build folder, so that what
ends here by time or by a signal goes on with the next `make check-long` of the same program."""
import os
import sys

from run_common import Skipped, check, main
from sim_vs_kernel import FILE, judge, reproduce
import outside

WHOLE_S = 2000
FOLDER = os.path.join(os.environ["ROOT_TOOLS"], "sim-vs-kernel")


def the_quick_set():
    code, experiment, err = reproduce(FILE, FOLDER, "--quick", timeout_s=600)
    check(len(experiment["claims"]) == 24, len(experiment["claims"]), "claims")
    judge(code, experiment)
    print(err)


def the_whole():
    try:
        code, experiment, err = reproduce(FILE, FOLDER, timeout_s=WHOLE_S)
    except outside.Failed as why:
        raise Skipped(f"not all in one go: {why}") from None
    check(len(experiment["claims"]) == 240, len(experiment["claims"]), "claims")
    judge(code, experiment)
    print(err)


if __name__ == "__main__":
    sys.exit(main(the_quick_set, the_whole))
