# `make demo` shows the system at work, `make test` checks all of it. Both need python3 (3.11 or newer) and make,
# and install the rest into .venv the first time.

PYTHON ?= python3
BIN := .venv/bin
PIN = pyproject.toml --quiet --universal --python-version 3.11 --no-header --no-emit-index-url $(ARGS)

HALF = tests/services tests/views tests/queue

.PHONY: help demo test one-half other-half test-queue chaos mutation dev lint fmt requirements install

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 20

demo: install ## start everything here and tell a story with it
	@$(BIN)/python -m project.demo

test: lint ## lint, then run all tests, in two halves at the same time, each with servers of its own
	@echo "All tests, in two halves at the same time; each half is shown when it has ended. That takes some ten minutes."
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line one-half other-half

one-half:
	$(BIN)/python -m pytest $(HALF)

other-half:
	$(BIN)/python -m pytest tests $(HALF:%=--ignore=%)

test-queue: install ## queue, flows and a short chaos on other servers: POSTGRES_BINARIES=… REDIS_SERVER_BINARY=…
	POSTGRES_BINARIES=$(POSTGRES_BINARIES) REDIS_SERVER_BINARY=$(REDIS_SERVER_BINARY) \
		$(BIN)/python -m pytest tests/queue tests/flows tests/chaos

chaos: install ## torment everything for a while: SECONDS=600 SEED=…
	@$(BIN)/python -m tests.chaos --seconds $(or $(SECONDS),600) $(if $(SEED),--seeds $(SEED))

mutation: install ## take each guard away and see that a test notices
	@$(BIN)/python -m tests.chaos.mutation

dev: install ## run the Procfile's processes here until Ctrl-C
	@$(BIN)/python -m project.demo.dev

lint: install ## formatting, style, types, import rules
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fmt: install ## format the code, sort its imports
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

# Pins stay as they are where they can. To renew them all: make requirements ARGS=--upgrade
requirements: install ## pin the dependencies of pyproject.toml anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile $(PIN) --output-file requirements/prod.txt
	$(BIN)/uv pip compile $(PIN) --all-extras --output-file requirements/dev.txt

install:
	@$(PYTHON) tools/install.py .venv requirements/dev.txt

# Outside of production, settings have defaults.
lint test test-queue: export DEBUG = 1
