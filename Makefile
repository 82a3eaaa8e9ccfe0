# make quickstart   set up, build a suite from the bundled corpus, evaluate it, write a report
# make fast         while editing, in under a minute: lint, layers, and the tests of what you changed
# make test         set up everything the tests need, run them
# make check        lint, types, tests: what CI runs
# make wheel        build the wheel, install it on Python 3.11, 3.12 and 3.13, and run its quickstart on each
# make golden       renew the table of small results after a revision was raised (tests/golden)
# make test-lucene  the tests of real Lucene indexes; needs Java 21, fetches Pyserini and torch (2 GB) into an environment of its own
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DATA   ?= $(CSUITE_TEST_DATA)
# Processes that test, or build the quickstart's suite: one per core.
WORKERS ?= $(shell nproc)
# Names or paths of the interpreters that `make wheel` tries.
PYTHONS ?= python3.11 python3.12 python3.13
# The tests start hundreds of processes, each of which would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup quickstart fast test golden wheel test-lucene check lint types size browser docs clean

setup: $(VENV)/.test browser

quickstart: $(VENV)/.quickstart
	$(BIN)/csuite quickstart --out quickstart --workers $(WORKERS)

test: $(VENV)/.test browser size
	$(if $(DATA),CSUITE_TEST_DATA="$(DATA)",env -u CSUITE_TEST_DATA) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# Slow tests and those in a browser wait for `make test`.
fast: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not browser" tests/test_architecture.py $$($(BIN)/python tests/changed.py)

golden: $(VENV)/.test
	$(BIN)/python -m pytest tests/golden --renew-golden

# Each interpreter gets an environment of its own with nothing but the wheel and what it depends on.
wheel: $(VENV)/.test
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel
	@set -e; for python in $(PYTHONS); do \
	  echo "== $$python: $$($$python --version)"; \
	  folder=build/wheel/$$(basename $$python); \
	  $$python -m venv $$folder; \
	  $$folder/bin/pip install --quiet build/wheel/*.whl; \
	  $$folder/bin/csuite quickstart --out $$folder/quickstart; \
	done

# First the check, so that a missing Java is an error here and not a skipped test.
test-lucene: $(VENV)-lucene/.installed
	$(VENV)-lucene/bin/python -c "from constraintsuite.models.retrieval.lucene import require_lucene; require_lucene()"
	$(VENV)-lucene/bin/python -m pytest tests/models/retrieval

check: lint types quickstart test

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

docs: $(VENV)/.test
	$(BIN)/python docs/generate.py

# The size of the base install, in an environment of its own, so that no extra hides in it.
size: $(VENV)/.base
	@$(VENV)-base/bin/python -c "import pathlib, sysconfig; \
	root = pathlib.Path(sysconfig.get_paths()['purelib']); \
	size = sum(f.stat().st_size for f in root.rglob('*') if f.is_file()) / 2**20; \
	print(f'base install: {size:.0f} MiB of site-packages (limit 400)'); \
	raise SystemExit(size > 400)"

browser:
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null) \
	  || echo "Chromium could not be installed: the browser tests will be skipped."

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.quickstart: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --editable ".[parser]"
	$(BIN)/csuite fetch parser || echo "The parser could not be fetched: the rules read the texts instead."
	@touch $@

$(VENV)/.test: pyproject.toml $(VENV)/.quickstart
	$(BIN)/pip install --quiet "torch==2.13.0"
	$(BIN)/pip install --quiet --editable ".[parser,parquet,irds,hub,torch,ranking,vectors,ann,memory,serve,tune,ray,s3,dev]"
	@touch $@

$(VENV)/.base: pyproject.toml | $(VENV)/bin/pip
	$(PYTHON) -m venv $(VENV)-base
	$(VENV)-base/bin/pip install --quiet .
	@touch $@

$(VENV)-lucene/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-lucene
	$(VENV)-lucene/bin/pip install --quiet "torch==2.13.0"
	$(VENV)-lucene/bin/pip install --quiet --editable ".[lucene]" "pytest>=8.3" "pytest-timeout>=2.3" "hypothesis>=6.100"
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-base $(VENV)-lucene quickstart build dist
