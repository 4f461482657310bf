# make install: the command `looper`. make demo: watch a backlog being worked through. make check: the quick checks of a change.
# make test: everything that must hold. make proof: the same, exhaustively, which takes hours.
# Each installs the packages it needs.
MAKEFLAGS += --no-print-directory

# Further flags for vitest, e.g. VITEST='-t "a name"'.
VITEST =
# Flags of make bench, e.g. BENCH=--write.
BENCH =
# Flags of make bench-trust, e.g. TRUST='--ecosystem pytest --every 4 --keep /tmp/kept', TRUST='--review --every 10'; of make bench-trust-modes,
# e.g. TRUST='--case node-feature --op does-nothing --mode cold --keep'.
TRUST =
# Flags of make bench-trust-modes, e.g. GROWN='--ecosystem pytest --every 4 --keep /tmp/kept'.
GROWN =
# Flags of make bench-history, e.g. HISTORY='--repos /tmp/repos --only koajs/koa --misses', HISTORY=--time.
HISTORY =
# Flags of make torture, e.g. TORTURE='--only kill --at 217', TORTURE='--only random --runs 50 --seed 7', TORTURE='--every 25',
# TORTURE='--only workflows --session tdd:3 --at 217'.
TORTURE =
# The stories whose runs make replays takes; all of them when empty.
REPLAYS_OF =
# The one floor for make mutants: todo, loop or gate.
FLOOR =
# The parts of make proof, e.g. PROOF='laws torture'.
PROOF = laws torture replays sabotage node patterns
# The Nodes and flags of make proof-node, e.g. NODES='node24 test/stories/git.story.test.ts'.
NODES =

# The checks of make test that read the code without running it.
CHECKS = check-lint check-format check-unused check-schemas check-docs

.PHONY: packages install build demo check test checks tests $(CHECKS) proof proof-laws proof-torture proof-replays proof-sabotage proof-node proof-patterns \
	sabotage torture mutants replays bench bench-trust bench-trust-modes bench-history

# The packages that the build and the tests need.
packages: node_modules/.installed

node_modules/.installed: package-lock.json
	@echo "installing the packages of the build and the tests: a minute or more"
	@npm ci --ignore-scripts --loglevel=error
	@touch $@

build: packages
	@npm run -s build -- --if-older

# Installs a copy of the program for this user or machine, where npm installs global commands. It does not need this folder afterwards.
install: build
	@echo "packing looper, and installing it: half a minute or more"
	@rm -rf build/pack && mkdir -p build/pack
	@npm pack --silent --pack-destination build/pack >/dev/null
	@npm install --global --loglevel=error build/pack/looper-*.tgz
	@rm -rf build/pack
	@echo "installed: $$(npm prefix --global)/bin/looper"

demo: build
	@node dist/looper.js demo

# Before a commit: layout, lint, types, and the unit tests of the changes. Under a minute on two quiet cores.
check: packages
	@node scripts/check.mjs

# The checks one after another, with a lower priority, beside the tests: not the lowest, with which they starve on a busy machine.
# Leaves the commit it passed on in build/green.
test: build
	@commit=$$(node scripts/green.mjs) && $(MAKE) -j2 checks tests && node scripts/green.mjs "$$commit" $(VITEST)

checks:
	@nice -n 5 $(MAKE) --output-sync $(CHECKS)

tests:
	@npm test -s -- $(VITEST)

check-lint:
	@npm run -s lint
check-format:
	@npm run -s format:check
check-unused:
	@npm run -s unused
check-schemas:
	@npm run -s schemas -- --check
check-docs:
	@npm run -s docs -- --check

# Everything that make test holds with samples, whole. Each part prints its figure; a part that fails does not stop the next.
proof:
	@$(MAKE) --keep-going $(addprefix proof-,$(PROOF))

# Every order of events in small runs, all generated cases of the properties, all rows of the tables, 500 histories of a repository.
proof-laws: build
	@EXHAUSTIVE=1 LOOPER_HISTORIES=500 npm run -s unit -- --reporter=dot

proof-torture: torture

# The stories that make test leaves out, variants of those it runs, are among these.
proof-replays: build
	@EXHAUSTIVE=1 node scripts/replays.mjs $(REPLAYS_OF)

proof-sabotage: sabotage

# The stories on later versions of Node, which npm brings as packages into a folder of their own.
proof-node: build
	@npm ci --prefix tools/node-matrix --ignore-scripts --loglevel=error >/dev/null
	@node scripts/node-matrix.mjs $(NODES)

# Whether the regular expressions take linear time.
proof-patterns: packages
	@npm run -s recheck

sabotage: packages
	@EXHAUSTIVE=1 npm run -s sabotage

# Kills the program at each of its calls, and at random ones; TORTURE_WORKERS: how many at a time.
torture: packages
	@node test/torture/build.mjs
	@node build/torture/torture.js $(TORTURE)

# Every run of every story again, with its tree: replay divergences. REPLAYS_OF='test/stories/git.story.test.ts': only those.
replays: build
	@node scripts/replays.mjs $(REPLAYS_OF)

# How many broken lines the tests of a floor see, in percent.
mutants: packages
	@node scripts/mutants.mjs $(FLOOR)

# Ratios within one run, as a table; nothing in make test is timed. BENCH='--write' puts it into bench/RESULTS.md, BENCH='--only startup' is one part, BENCH='--write --others' installs what others there are and puts it beside.
bench: build
	@node bench/run.mjs $(BENCH)

# How often the gate verifies work that is not done, and blocks or doubts honest work. `--install` fetches vitest, jest and
# mocha into a cache once.
bench-trust: build
	@node bench/trust/grown/run.mjs $(TRUST)

# How the gate sorts the changed files of the history of public projects, beside hand-written lines of what each path is.
bench-history: packages
	@node bench/history/run.mjs $(HISTORY)

# The cases that were written by hand, each with the cold room and without one, judged by an oracle.
bench-trust-modes: build
	@node bench/trust/run.mjs $(TRUST)
