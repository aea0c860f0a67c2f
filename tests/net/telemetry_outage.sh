#!/bin/sh
# SPDX-License-Identifier: MIT
# telemetry_outage.sh WEIR: five minutes without a way between a source and a monitor, in real time.
exec python3 "$(dirname "$0")/../cli/telemetry_failures.py" "$1" 300
