# SPDX-License-Identifier: MIT
# Short names for what meson, ninja and tools/ do.
SECONDS ?= 60

.PHONY: build check check-long demo bench fuzz format lint setup clean
.DEFAULT_GOAL := build

setup:
	@tools/setup

build: setup
	@tools/configure build gcc --buildtype=release -Db_lto=true
	@ninja -C build

demo: build
	@tools/demo build/weir

check:
	@tools/setup --check
	@tools/check

check-long:
	@tools/setup --check
	@tools/check --long

bench: build
	@bench/run

fuzz:
	@tools/setup --check
	@tools/fuzz $(SECONDS)

format:
	@tools/setup --check
	@tools/format

lint:
	@tools/setup --check
	@tools/lint

clean:
	rm -rf build build-asan build-fuzz out
