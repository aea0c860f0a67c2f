#!/bin/sh
# SPDX-License-Identifier: MIT
# The pair of files for a 32-bit ARM, and run there: an emulated one.
exec python3 "$(dirname "$0")/pair.py" --with arm arm-linux-gnueabihf-gcc qemu-arm
