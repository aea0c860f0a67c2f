#!/bin/sh
# SPDX-License-Identifier: MIT
# The pair of files for other programs, with this machine's compilers.
exec python3 "$(dirname "$0")/pair.py" "$1"
