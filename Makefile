# `make help` lists what there is. Everything happens in Scripts/; this file only names it.

.DEFAULT_GOAL := help
.PHONY: help run ward setup test thorough test-swift test-attacks attacks timing test-interop test-browser stress screens bench bench-json bench-accounts extension docs fuzz sanitize mutants deb check-deb traits sync-symbols simulate planted format lint check clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

run: ## build the service and start it on http://localhost:8080 (PORT=… for another)
	@Scripts/run

ward: ## build the credential manager and put it into ~/.local (PREFIX=… for another place)
	@Scripts/manager

setup: ## install what building and testing need, and nothing else
	@Scripts/setup test

test: ## all tests: Swift, attacks, interop, manager, desktop, browser
	@Scripts/test swift attacks interop manager desktop browser

thorough: ## the same with all languages, bits and kills that `make test` has samples of (hours)
	@WARD_THOROUGH=1 Scripts/test swift attacks interop manager desktop browser

test-swift: ## the Swift tests
	@Scripts/test swift

test-attacks: ## what thieves, floods and kills do to the service
	@Scripts/test attacks

attacks: ## attack running services in every way to sign in, and print the chart (PICTURE=… draws it too)
	@Scripts/attacks $(if $(PICTURE),--picture $(PICTURE))

timing: ## whether the time of answers tells that a name has an account (TIMING_RUNS=500)
	@Scripts/timing --runs $(or $(TIMING_RUNS),500)

test-interop: ## the service against clients and judges that others wrote
	@Scripts/test interop manager desktop

test-browser: ## the pages in Chromium with a virtual authenticator
	@Scripts/test browser

stress: ## prompt, browser and OpenID Connect tests 20 times beside busy processors (ROUNDS=… for another number)
	@Scripts/stress $(if $(ROUNDS),--rounds $(ROUNDS))

screens: ## pictures of all pages in four languages, two schemes and three widths, and what a program finds wrong in them
	@Scripts/screens

bench: ## verified assertions per second beside the bare signature check
	@Scripts/bench

bench-json: ## the same, one line of JSON per figure
	@Scripts/bench --json

bench-accounts: ## a sign-in with ten million generated accounts beside one with few (12 GB of disk, about 10 minutes)
	@Scripts/bench --accounts=10000000

docs: ## the documentation, warnings being errors
	@Scripts/docs

fuzz: ## replay the fuzz corpus, then search on for a while
	@Scripts/fuzz

sanitize: ## the Swift tests under the thread sanitizer and the address sanitizer
	@Scripts/sanitize

mutants: ## remove the checks one by one; a Swift or Python test must notice each (hours)
	@Scripts/mutants

extension: ## pack the browser extension for Chromium and Firefox into .build-extension/
	@Scripts/extension

deb: ## build Debian packages of ward and ward-server into .build-deb/
	@Scripts/deb

check-deb: ## build them, install them in a new Debian and run them there (needs root)
	@Scripts/deb --check

traits: ## build a package without traits: each product builds, or names the trait that it needs
	@Scripts/traits

sync-symbols: ## a sync server has no code that decodes items
	@Scripts/sync-symbols

simulate: ## machines with one vault, power cuts and lies in a random order (SCHEDULES=10000; SEED=… for one)
	@Scripts/simulate $(SEED)

planted: ## loosen rules of the log and the vault one by one; the simulation must find each
	@Scripts/planted

format: ## format the Swift sources in place
	@swift format format --in-place --parallel --recursive Package.swift Sources Tests

lint: ## check the form of the sources and the structure of the package
	@Scripts/lint

check: ## everything a change must pass
	@Scripts/check

clean: ## remove what was built; keeps ward-data/ and .venv/
	@rm -rf .build .build-*
