# make demo: watch a backlog being worked through. make test: everything that must hold. Both install what they need.
MAKEFLAGS += --no-print-directory

# Further flags for vitest, e.g. VITEST='-t "a name"'.
VITEST =

.PHONY: install build demo test sabotage bench

install: node_modules/.installed

node_modules/.installed: package-lock.json
	@npm ci --ignore-scripts --loglevel=error
	@touch $@

build: install
	@npm run -s build -- --if-older

demo: build
	@node dist/looper.js demo

test: build
	@npm run -s lint
	@npm run -s format:check
	@npm run -s types
	@npm run -s unused
	@npm run -s schemas -- --check
	@npm test -s -- $(VITEST)

sabotage: install
	@npm run -s sabotage

# Ratios within one run; nothing in make test is timed.
bench: build
	@node bench/iteration.mjs
