# Every target installs what it needs. The tools are pinned in a module of their own, so that
# what checks the code never decides which versions of libraries the code is built with.
GO        ?= go
TOOL      := $(GO) tool -modfile=test/tools/go.mod
TESTBED   := bin/testbed
FUZZTIME  ?= 20s
BENCH     ?= .
BENCHTIME ?= 1s
SOAK      ?= 20

.DELETE_ON_ERROR:
.PHONY: help test lint unit bench fuzz soak generate demo testbed clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: lint $(TESTBED) ## everything: lint, then all tests with the race detector on real servers
	$(TESTBED) run -- $(TOOL) gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- -race -timeout 30m ./...

unit: ## the inner loop: tests that need no servers
	$(GO) test ./...

lint: ## golangci-lint with gofumpt, and the rules about imports
	$(TOOL) golangci-lint run ./...
	$(GO) mod verify >/dev/null
	$(GO) mod tidy -diff
	cd test/tools && $(GO) mod verify >/dev/null
	cd test/cluster/binaries && $(GO) mod verify >/dev/null
	$(GO) test ./test/architecture

bench: $(TESTBED) ## benchmarks, on real servers where they need them
	$(TESTBED) run -- $(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

fuzz: ## every fuzz target for FUZZTIME each
	@set -e; packages=$$($(GO) list ./...); for package in $$packages; do \
	  tests=$$($(GO) test -list '^Fuzz' $$package); \
	  for target in $$(echo "$$tests" | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
	  done; \
	done

soak: $(TESTBED) ## the tests of faults and crashes SOAK times, each time with new seeds and in another order
	$(TESTBED) run -- $(GO) test -race -count $(SOAK) -shuffle on -timeout 60m ./test/process ./test/gitserver ./test/faultproxy ./test/crash

generate: ## write the generated files
	$(GO) generate ./...

demo: $(TESTBED) ## from nothing to running servers, charts and resources on them, and faults on cue
	$(TESTBED) run -- $(GO) test -count 1 -v -run '^TestDemo$$' ./test/demo

testbed: $(TESTBED) ## keep the servers running for the inner loop until interrupted
	$(TESTBED) serve

# Built every time: go's own cache knows better than make whether there is anything to do.
.PHONY: $(TESTBED)
$(TESTBED):
	@$(GO) build -o $@ ./test/cmd/testbed

clean: ## remove what the targets built in this checkout
	rm -rf bin
