#!/bin/sh
# SPDX-License-Identifier: MIT
# The pair of files with musl instead of glibc.
exec python3 "$(dirname "$0")/pair.py" --with musl musl-gcc
