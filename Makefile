# `make bench` runs the main job, `make test` all tests; each sets up all it needs.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PACKAGES := git make python3.11-venv g++ cmake
SIDE_BY_SIDE ?= 4

.PHONY: bench test test-gpu test-gpu-target check self simulate mutants soak docs clean setup tools

bench: setup
	$(BIN)/harness targets build
	$(BIN)/asv machine --yes >/dev/null
	status=0; $(BIN)/asv run --launch-method forkserver --record-samples --bench '^scenarios' || status=$$?; \
	$(BIN)/asv publish && $(BIN)/harness list && \
	echo "pages: results/html/index.html (serve them with: $(BIN)/asv preview)"; \
	[ $$status = 0 ] || echo "not every scenario passed, or not every number is there: see above; where a verdict is" \
		"invalid, the machine may have been busy" >&2; exit $$status

# Tests that wait run side by side; those that measure, alone. What fails is run again, at most twice, and named: a real
# defect fails three times, a moment in which the machine stood still does not. Hundreds of commands are started: with
# files of compiled Python, whatever the shell says of these, it takes minutes less.
test: export PYTHONDONTWRITEBYTECODE :=
test: setup check
	$(BIN)/pytest --reruns 2 -n $(SIDE_BY_SIDE) --dist loadscope --no-loadscope-reorder -m "not alone and not gpu and not gpu_target"
	$(BIN)/pytest --reruns 2 -m alone

# What only an NVIDIA GPU can show; without one all is skipped. The first time it builds a target of 4 GB.
test-gpu: setup
	$(BIN)/pytest -m gpu tests/hardware

# The wheel for GPUs on a machine without one: two targets of 4 GB.
test-gpu-target: setup
	$(BIN)/pytest -m gpu_target tests/hardware

# What needs no MXNet: style, types.
check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The harness measured against the bare alternative; its start with compiled files, whatever the shell says of these.
self: export PYTHONDONTWRITEBYTECODE :=
self: setup
	$(BIN)/harness targets build
	$(BIN)/asv machine --yes >/dev/null
	$(BIN)/asv run --launch-method forkserver --record-samples --bench '^itself'
	$(BIN)/python -m benchmarks.itself.limits

# Worlds in virtual time, for the decisions: a seed that breaks a law is printed with the fewest faults that it takes.
WORLDS ?= 100000
simulate: setup
	$(BIN)/python -m tests.simulation 0 $(WORLDS)

# Does a test fail where the pure core is wrong? An hour; what is known of unchanged functions is kept.
mutants: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .ci/mutants.lock
	SIMULATED_WORLDS=80 $(BIN)/mutmut run --max-children 2
	$(BIN)/python -m tests.mutants

# Random schedules of faults, each replayed.
soak: setup
	$(BIN)/harness targets build
	$(BIN)/harness targets build --horovod
	$(BIN)/harness soak --runs 200

# Lists in pages, made from the registries.
docs: setup
	$(BIN)/harness parts --write README.md --write docs/parts.md --write docs/faults.md
	$(BIN)/harness schema >scenarios/schema.json
	$(BIN)/harness claims --markdown docs/claims.md

setup: $(READY)

# What README's line `apt install` brings, and cannot be brought by pip.
tools:
	@missing=; for tool in git $(PYTHON) g++ cmake; do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || missing="$$missing ensurepip"; \
	[ -z "$$missing" ] || { echo "missing:$$missing; on Debian 12: sudo apt install $(PACKAGES);" \
		"elsewhere set PYTHON to a Python 3.10 or later with venv" >&2; exit 1; }

$(READY): requirements.lock pyproject.toml | tools
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat --editable .
	touch $(READY)

# Only what can be made again; results stay.
clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis mutants
