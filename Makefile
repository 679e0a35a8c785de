# The everyday commands; `make` alone lists them. CMake does the building.
.DEFAULT_GOAL := help
.PHONY: help build test tidy format clean

JOBS ?= $(shell nproc)

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build:  ## build the program (build/yona) and the library
	cmake -S . -B build -G Ninja
	cmake --build build -j $(JOBS)

test: build  ## build, and run every test
	ctest --test-dir build --output-on-failure -j $(JOBS)

tidy:  ## clang-tidy over yona/, only what changed since it last passed
	cmake -S . -B build -G Ninja
	tools/tidy.py build

format:  ## clang-format every C++ file in place
	git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' '*.cuh' | xargs -r clang-format -i

clean:  ## remove every build tree
	rm -rf build build-*
