# `make bench` runs the main job, `make test` all tests; each sets up all it needs.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: bench test check self soak clean setup

bench: setup
	$(BIN)/harness targets build
	$(BIN)/asv machine --yes
	$(BIN)/asv run --record-samples --bench '^scenarios'
	$(BIN)/asv publish
	$(BIN)/harness list
	@echo "pages: results/html/index.html (serve them with: $(BIN)/asv preview)"

test: setup check
	$(BIN)/pytest

# What needs no MXNet: style, types.
check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The harness measured against the bare alternative.
self: setup
	$(BIN)/harness targets build
	$(BIN)/asv machine --yes
	$(BIN)/asv run --record-samples --bench '^itself'

# Random schedules of faults, each replayed.
soak: setup
	$(BIN)/harness targets build
	$(BIN)/harness targets build --horovod
	$(BIN)/python -m tests.soak 200

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat --editable .
	touch $(READY)

# Only what can be made again; results stay.
clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
