# `make help` lists the targets. Everything is installed into .venv; nothing else is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On Linux, the CPU build of torch: make quickstart TORCH_INDEX=https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=
CORES ?= all
CONFIG := config/quickstart.yaml
RESULTS := results/quickstart
# A file of tests to each process, in the order of tests/conftest.py; some of them mostly wait.
SPREAD := -n 3 --dist loadfile --no-loadscope-reorder

.PHONY: help setup quickstart test-workflow test test-fast planted studies whole-corpora slurm lint format check fuzz audit docs clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: $(VENV)/.installed ## Create .venv with the exact versions of requirements.lock

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
ifneq ($(TORCH_INDEX),)
	$(BIN)/python -m pip install "$$(grep '^torch==' requirements.lock)" --index-url $(TORCH_INDEX)
endif
	$(BIN)/python -m pip install -r requirements.lock
	$(BIN)/python -m pip install --no-deps -e .
	@touch $@

quickstart: setup ## Run the whole pipeline on the built-in corpus: no network, a minute
	@$(BIN)/wsd plan config/config.yaml $(CONFIG)
	$(BIN)/snakemake --cores $(CORES) --no-hooks --configfile $(CONFIG)
	@echo && $(BIN)/wsd leaderboard $(RESULTS)/summary.csv
	@echo && echo "The pages: $(CURDIR)/$(RESULTS)/report/index.html"

test-workflow: setup ## Run the workflow on the config in .test, and write Snakemake's report
	$(BIN)/snakemake --directory .test --cores $(CORES)
	$(BIN)/snakemake --directory .test --report report.zip

test: setup ## Run all tests
	$(BIN)/python -m pytest $(SPREAD)

test-fast: setup ## Run the tests that take no more than a few seconds each
	$(BIN)/python -m pytest $(SPREAD) -m "not slow"

planted: setup ## Plant the faults of tests/faults.md, one at a time: do the tests find them?
	$(BIN)/python tools/plant.py

studies: setup ## Delete every study in turn and run the fast tests of the core without it; half an hour
	WSD_TEST_EVERY_STUDY=1 $(BIN)/python -m pytest tests/studies/test_removal.py

whole-corpora: setup ## Compare all of DWUG EN with known figures, instead of eight words; minutes
	WSD_TEST_WHOLE_CORPORA=1 $(BIN)/python -m pytest tests/studies/change/test_change_in_dwug_en.py

slurm: setup ## Run the quickstart through a SLURM of this machine; needs root, slurm-wlm and munge
	WSD_TESTS_REQUIRE="slurm minilm" $(BIN)/python -m pytest tests/slurm

lint: setup ## Check style, format, types and who imports whom, of the code and of the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## Put the code and the workflow into their format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

check: lint test ## Everything that must hold before a change is merged

fuzz: setup ## Fuzz the parsers: 200,000 inputs, and planted faults; some minutes
	$(BIN)/python tests/fuzz/run.py --count 200000
	$(BIN)/python tools/plant.py parsers

audit: setup ## Ask for known vulnerabilities of the locked packages; exit code 3 says not audited
	@$(BIN)/python -c "import pip_audit" 2>/dev/null || $(BIN)/python -m pip install --quiet -c requirements.lock "pip-audit>=2.9,<3" || true
	$(BIN)/python tools/audit.py

docs: setup ## Build the documentation site, build/site/index.html, with the quickstart's report and the board
	$(BIN)/python -m pip install --quiet -r requirements-docs.lock
	@test -f $(RESULTS)/report/index.html || $(MAKE) quickstart
	@test ! -d wsd/studies/board || $(BIN)/wsd board docs/board/coarsewsd20/*.zip --out build/board
	$(BIN)/mkdocs build --strict

clean: ## Remove everything generated, but not .venv
	rm -rf $(filter-out results/README.md,$(wildcard results/*)) results/.steps results/.seen.json .snakemake
