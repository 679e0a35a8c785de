# The everyday commands; `make` alone lists them. CMake does the building (CMakePresets.json).
#
#   DEPS=no     leave apt alone: the packages of tools/apt-packages.txt are there some other way
#   PREFIX=…    where `make install` puts things (/usr/local); DESTDIR is honoured too
#   CHECKS=…    which parts of `make check` to run, see tools/check.sh
#   SLOW=no     `make test` without the tests labelled slow
.DEFAULT_GOAL := help
.PHONY: help demo configure build test check tidy format bench install deps clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: configure  ## install missing packages, build, and train a small Transformer
	@tools/demo.sh $(JOBS)

configure: deps
	@cmake --preset release $(if $(CI),-DYONA_WERROR=ON) >/dev/null

build: configure  ## build the program (build/yona), the library and the tests
	cmake --build build -j $(JOBS)

test: build  ## build, and run every test
	ctest --preset release $(if $(filter no,$(SLOW)),-LE '^slow$$')

check:  ## what CI checks: format, tidy, sanitizers, fuzzing, CUDA, installation
	@$(if $(filter no,$(DEPS)),,tools/install-deps.sh --check)
	tools/check.sh $(CHECKS)

tidy:  ## clang-tidy over yona/, only what changed since it last passed
	@tools/check.sh tidy

format:  ## clang-format every C++ file in place
	git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' '*.cuh' | xargs -r clang-format -i

bench: build  ## compare training steps with PyTorch and Marian, where they are installed (bench/README.md)
	bench/run.sh

install: build  ## install the program, the library, its headers and its CMake package
	cmake --install build --prefix $(PREFIX)

deps:  ## install the packages that are missing (apt; silent when there are none)
	@$(if $(filter no,$(DEPS)),,tools/install-deps.sh)

clean:  ## remove every build tree
	rm -rf build build-python build-tidy build-debug build-asan build-fuzz build-tsan build-cuda build-all-gpus
