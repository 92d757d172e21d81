# make demo and make test do everything on a fresh Debian 12: install what is missing,
# build, run. Each step is skipped where it is done already.
.PHONY: help setup build demo test bench accuracy clean

help:
	@echo "make demo    install, build, compile the report's GEMM for Ascend 910B3, check its values on the CPU"
	@echo "make test    install, build, run every check and test"
	@echo "make bench   install, build, measure; writes build/benchmarks/*.json"
	@echo "make accuracy  install, build, predict published figures; writes docs/simulator-accuracy.md"
	@echo "make accuracy ROWS=FOLDER  the same for the rows in a folder (benchmarks/accuracy/README.md)"
	@echo "make setup   install Debian packages (needs root where some are missing), .venv, PyPI packages"
	@echo "make build   install and build"
	@echo "make clean   remove the build; .venv stays"

setup:
	@scripts/setup.sh

build: setup
	@scripts/build.sh

demo: build
	@.venv/bin/python examples/demo.py

test: build
	@scripts/test.sh

bench: build
	@.venv/bin/python benchmarks/run.py

accuracy: build
	@.venv/bin/python benchmarks/run_accuracy.py $(if $(ROWS),"$(ROWS)")

clean:
	rm -rf build python/tilekiln/_core*.so
