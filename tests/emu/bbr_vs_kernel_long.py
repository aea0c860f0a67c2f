#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""experiments/weir/bbr-vs-kernel, the quick set of it: Weir's BBR in the kernel beside the kernel's own, and beside
itself in the simulator; without losses and with."""
import os
import sys

from run_common import Skipped, check, main, nothing_left, path
from sim_vs_kernel import judge, reproduce

FILE = os.path.join(os.environ["SOURCE_ROOT"], "experiments/weir/bbr-vs-kernel.yaml")
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"


def bbr_here_is_the_kernels():
    with open(AVAILABLE, encoding="ascii") as f:
        if "bbr" not in f.read().split():
            raise Skipped("this kernel has no bbr")
    code, experiment, _ = reproduce(FILE, path("bbr"), "--quick", timeout_s=300)
    check(len(experiment["claims"]) == 10, len(experiment["claims"]), "claims")
    judge(code, experiment)
    nothing_left()


if __name__ == "__main__":
    sys.exit(main(bbr_here_is_the_kernels))
