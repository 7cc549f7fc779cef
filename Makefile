# make bench   the five finalists, verified and measured on this computer: two minutes
# make bench-all  all ciphers, verified and measured
# make test    all tests but those of the second tier
# make check   all tests, the second tier's too: every schedule, key length and architecture in turn
# make leaks   watch all constant-time programs under valgrind, built by gcc and clang, -O1 to -O3
# make lint    style and types
# make replay  compare the digest of one in seventy emitted texts with the committed one; replay-all: of each, in some
#              twenty minutes; replay-renew: write them anew, for a change that means to change texts
# make digests-renew  the same for tests/digests: what passes and machines make of small inputs, a minute
# make pages   write docs/ciphers anew: a page about each cipher, counted from its definition; docs/circuits.md
# make report  all ciphers and machines on one page, in build/report, of the figures that come along: a minute
# make figures take these figures anew on this computer; hours, and goes on where it stopped
# make docs    the pages as a site, all links checked, in build/site
# make gladman  write docs/gladman.md anew: Gladman's tables of 1999, taken on this computer
# make ptlu    write docs/plx.md's tables anew: those of the ptlu paper, ours beside
# make fpga    simulate, map and check all designs of the FPGA study; takes hours, and goes on where it stopped
# make additions  write docs/plx.md's last part anew: what ciphers gain by instructions, ports, wider words
# make simulated  verify all ciphers on the simulated machine, under representative parameters and every schedule that
#              it names; two hours, and goes on where it stopped
# make schedules  2000 schedules a cipher drawn at random (DRAWN=2000), each against the interpreter; hours, and
#              goes on where it stopped
# make mutants  200 random faults (N=200) planted one at a time in ir, language, passes, isa: are they found?
# make fuzz    many random programs: interpreter, native and simulated machine side by side; as many command lines,
#              schedules and definitions with mistakes in them (N=10000)
# make export  write a C library of all ciphers to build/export, and build and test it: gcc, clang, sanitizers,
#              AArch64, RISC-V, s390x; what is missing for that is said
# make peers   write docs/peers.md and the README's part anew: ours beside other libraries (benchmarks/peers/install.sh)
# make opinion  compare 100 000 random blocks a cipher and key length with every other library
# make release VERSION=0.2.0  give what is unreleased in CHANGELOG.md this version, here and wherever one is named
# make clean   remove the environment and everything cached here

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The environments are made again only where pyproject.toml has changed since.
CORE := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
PLOT := $(VENV)/.installed-plot
REPORT := $(VENV)/.installed-report
DOCS := $(VENV)/.installed-docs
PEERS := $(VENV)/.installed-peers

.PHONY: bench bench-all test check export leaks lint pages report figures docs gladman ptlu additions simulated schedules fuzz fpga peers opinion replay replay-all replay-renew digests-renew mutants release clean

FINALISTS := rijndael rc6 serpent twofish mars

bench: $(CORE)
	$(BIN)/finalist bench $(FINALISTS)
	$(BIN)/finalist verify --machine native $(FINALISTS)

bench-all: $(CORE)
	$(BIN)/finalist bench
	$(BIN)/finalist verify --machine native

# PYTEST_OPTIONS: pytest's, where not all tests are wanted. (PYTEST_ADDOPTS would be those of tests that run pytest, too.)
PYTEST_OPTIONS ?=
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_OPTIONS)

test: $(DEV)
	$(PYTEST)

check: $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fpga,peers,dsp,proofs,report,sweep]'
	$(PYTEST) -m ''

replay: $(CORE)
	$(BIN)/python -m tests.replay

replay-all: $(CORE)
	$(BIN)/python -m tests.replay --all

replay-renew: $(CORE)
	$(BIN)/python -m tests.replay --renew

digests-renew: $(DEV)
	FINALIST_RENEW=1 $(PYTEST) -m '' $$(grep -rl 'tests.unchanged import unchanged$$' tests --include='*.py')

mutants: $(DEV)
	$(BIN)/python -m tools.mutants -n $(if $(findstring command,$(origin N)),$(N),200)

leaks: $(CORE)
	$(BIN)/finalist leaks --all-schedules

export: $(CORE)
	$(BIN)/finalist emit --layout library -o build/export
	$(BIN)/python -m finalist.export.architectures build/export

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict finalist tools

pages: $(PLOT)
	$(BIN)/finalist pages -o docs/ciphers
	$(BIN)/python -m tools.circuits.page --page docs/circuits.md

report: $(REPORT)
	$(BIN)/finalist report -o build/report

# Times last and alone; hardware in one direction, as its designs take as much in the other.
SWEEP := $(BIN)/finalist sweep --file build/figures.sqlite
ALL_CIPHERS := contest today
figures: $(CORE)
	mkdir -p build
	$(SWEEP) $(ALL_CIPHERS) --machine plx --machine plx:with=ptlu
	$(SWEEP) $(ALL_CIPHERS) --machine fpga --operation encrypt
	$(SWEEP) $(ALL_CIPHERS) --machine native
	$(SWEEP) $(FINALISTS) --machine c62x --machine c64x -s pipeline=on
	$(SWEEP) --machine hc05 -s optimise=speed -s optimise=size
	$(SWEEP) --machine c62x --machine c64x
	$(BIN)/python -m tools.publish build/figures.sqlite

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict
	@echo build/site/index.html

gladman: $(CORE)
	$(BIN)/finalist paper gladman -o docs/gladman.md
	$(BIN)/finalist paper gladman --bits 32 -o docs/gladman.md
	$(BIN)/finalist paper gladman --choices -o docs/gladman.md
	$(BIN)/python -m tools.results

ptlu: $(CORE)
	$(BIN)/finalist paper ptlu -o docs/plx.md
	$(BIN)/python -m tools.results

fpga: $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fpga]'
	$(BIN)/finalist paper fpga --simulate
	$(BIN)/finalist paper fpga --simulate --map -o docs/fpga.md
	$(BIN)/python -m tools.results

additions: $(PLOT)
	$(BIN)/finalist paper additions -o docs/plx.md --plot docs/plx-additions.svg
	$(BIN)/python -m tools.results

SIMULATED := plx plx:with=ptlu plx:word=64,with=ptlu plx:word=128,with=ptlu+shuffle \
    plx:multiplier=16,issue=2/1,with=aes32 plx:issue=8/2,shifters=2,with=extract+andn plx:tables=4,with=ptlu

simulated: $(CORE)
	$(BIN)/finalist verify --resume $(SIMULATED:%=--machine %)
	$(BIN)/finalist verify --resume --machine plx --all-schedules

DRAWN ?= 2000
schedules: $(CORE)
	$(BIN)/finalist verify --drawn $(DRAWN)

N ?= 10000
fuzz: $(DEV)
	FINALIST_FUZZ=$(N) $(BIN)/python -m pytest -n auto -m fuzz --timeout 0

peers: $(PEERS)
	$(BIN)/finalist bench --against peers -o docs/peers.md -o README.md

VERSION ?= $(error which one? make release VERSION=0.2.0)
release: $(CORE)
	$(BIN)/python -m tools.release $(VERSION)

opinion: $(PEERS)
	$(BIN)/finalist verify --against peers

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(PEERS): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
	@touch $(CORE) $@

$(PLOT): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	@touch $(CORE) $@

$(REPORT): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	@touch $(CORE) $(PLOT) $@

$(DOCS): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $(CORE) $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(CORE) $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'Finalist needs Python 3.11 or later; name one with: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo 'This Python has no venv. On Debian and Ubuntu: sudo apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
