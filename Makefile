# Every target installs what it needs. The tools are pinned in a module of their own, so that
# what checks the code never decides which versions of libraries the code is built with.
GO        ?= go
TOOL      := $(GO) tool -modfile=test/tools/go.mod
TESTBED   := bin/testbed
FUZZTIME  ?= 20s
BENCH     ?= .
BENCHTIME ?= 1s
SOAK      ?=
VERSION   ?= dev
# Tests that are nothing without servers have this build tag, and so have those of packages whose tests
# link for longer than they run: the servers' own, the charts, the wiring. The inner loop goes without them.
BEDS      := -tags beds

.DELETE_ON_ERROR:
.PHONY: help build test test-osh lint unit bench bench-peers fuzz soak generate demo testbed clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## both commands, static, into bin/
	CGO_ENABLED=0 GOOS=$(GOOS) GOARCH=$(GOARCH) $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/kupenstackd ./cmd/kupenstack-sync

# What takes longest comes first, so that the end does not wait for a single package.
LONGEST   := ./test/e2e ./internal/driver/openstack ./test/cluster/player ./internal/driver/helm ./test/demo ./test/openstack
# As many packages at once as there are processors: with more, requests to the servers run into their deadlines. Two tests of each
# package to a processor, as most of their time is waiting; three are too many where the machine has other work as well. A process with
# the race detector sleeps for a second before it ends, unless told otherwise, and there is one for each package.
# Go's own linker takes a third less time than handing a binary with the race detector to the system's, a quarter less again without
# symbols for debuggers, and there are as many binaries to link as packages with tests. A tenth of the processors' time is the
# collection of garbage, of the servers as of the tests, and lint has run vet.
test: lint $(TESTBED) ## everything: lint, then all tests on real servers, themselves with the race detector
	GOGC=300 GORACE=atexit_sleep_ms=100 $(TESTBED) run -- $(TOOL) gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- $(BEDS) -race -vet=off -ldflags="-linkmode=internal -s -w" -timeout 75m -p $$(nproc) -parallel $$(( 2 * $$(nproc) )) $(LONGEST) ./...

# The directory is named in OSH_CHARTS.
test-osh: $(TESTBED) ## the charts of OpenStack-Helm: render them, and deploy, repair and take away whole clouds
	@test -f "$(OSH_CHARTS)/helm-toolkit/Chart.yaml" || { echo "OSH_CHARTS=<a checkout of OpenStack-Helm> make test-osh" >&2; exit 2; }
	@echo "OpenStack-Helm at $$(git -C "$(OSH_CHARTS)" rev-parse HEAD)"
	OSH_CHARTS=$(abspath $(OSH_CHARTS)) $(TESTBED) run -- $(GO) test $(BEDS) -count 1 -v -timeout 45m -run 'OpenStackHelm|OfReleases|^(TestInterface|TestMembersOfTheCache|TestPinsOfAllCharts|TestServices|TestStory)$$' ./test/charts ./internal/driver/helm ./test/cluster/player ./test/e2e

unit: ## the inner loop: tests that need no servers
	$(GO) test ./...

lint: ## golangci-lint with gofumpt, and the rules about imports
	$(TOOL) golangci-lint run ./...
	$(GO) mod verify >/dev/null
	$(GO) mod tidy -diff
	$(GO) test ./test/architecture

bench: $(TESTBED) ## benchmarks, on real servers where they need them; OSH_CHARTS=<a checkout> renders the charts of OpenStack-Helm
	$(if $(OSH_CHARTS),OSH_CHARTS=$(abspath $(OSH_CHARTS))) $(TESTBED) run -- $(GO) test $(BEDS) -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

bench-peers: $(TESTBED) ## the daemon beside Flux's controllers, which it builds: the figures of both, and whether ours are as promised
	$(TESTBED) -beds cluster run -- $(GO) test -tags beds,peers -count 1 -v -timeout 2h -run '^$$' -bench '^BenchmarkPeers$$' -benchtime 1x ./test/peers

# The race detector is for what targets start beside themselves; it makes each find less in the same time.
# An input that is new is made smaller for a minute unless told otherwise, which is all the time of a target that is slow: in ten tries here.
# They are found by their names: to ask each package for its own would build the tests of all. Go before 1.27 fails at
# times as the time is over, the more on a busy machine (golang.org/issue/75804): what fails without an input to show
# for it is run once more.
fuzz: ## every fuzz target for FUZZTIME each, with the race detector
	@set -e; grep -r --include='*_test.go' -o '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file target; do \
	  package=$$(dirname $$file) target=$${target#func }; \
	  echo "$$package $$target"; \
	  once() { $(GO) test -race -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package < /dev/null; }; \
	  found() { ls $$package/testdata/fuzz/$$target 2> /dev/null || true; }; \
	  before=$$(found); \
	  once || { test "$$before" = "$$(found)"; once; }; \
	done

# Through gotestsum, which keeps what a test logged when it hangs, its seed above all. As most of their time is waiting, three of
# the parts go on at once, and what takes longest comes first.
# However short it is, daemons are killed 300 times at least: the test fails otherwise. The commands that are killed have the race
# detector, and so have the daemons of every other run under random faults; those of the first one are as they are
# shipped, and their memory is held against what they had.
# With SOAK there is all that takes hours: the kills at the other kinds of OpenStack and at nodes that leave, 500 runs of random configurations
# of OpenStack under random faults in the place of 100, and the whole that often. One comes after the other then.
SOAKPARTS := soak-sweeps soak-openstack soak-faults soak-races soak-kills soak-servers $(if $(SOAK),soak-others)
PARTLY    := $(MAKE)
.PHONY: $(SOAKPARTS)
soak: $(TESTBED) ## faults, crashes and kills with new seeds, in one to two hours: 300 kills and 100 random runs; SOAK=1 has 500 and all kinds, in hours, SOAK=20 in days
	$(GO) list $(BEDS) -race -test -deps -export ./internal/engine ./internal/driver/openstack ./test/e2e >/dev/null # compiled once, not by each
	$(TESTBED) run -- $(PARTLY) --no-print-directory -k -j $(if $(SOAK),1,3) $(SOAKPARTS)

TIMES        = $(or $(SOAK),1)
soak-%: ROUNDS = $(if $(SOAK),$$(( 10 * $(SOAK) )),6)
soak-%: ONCE = $(TOOL) gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- $(BEDS) -race -vet=off -ldflags=-linkmode=internal -count 1
soak-%: TEST = $(ONCE) -count $(TIMES) -shuffle on
soak-%: RACE = KUPENSTACK_TEST_RACE=1
soak-servers:
	$(TEST) -timeout 60m ./test/process ./test/gitserver ./test/faultproxy ./test/crash
	KUPENSTACK_TEST_RUNS=$$(( 300 * $(TIMES) )) $(ONCE) -timeout $$(( 60 * $(TIMES) ))m -run '^TestRandomTroubles$$' ./internal/engine
soak-kills:
	$(RACE) $(TEST) -timeout $$(( 40 * $(TIMES) ))m -run 'Kill' -skip '^TestDaemonKilledAt(EveryKindOfRequest|TheOtherKinds|NodesThatLeave)$$' ./internal/engine ./test/e2e
soak-faults:
	KUPENSTACK_TEST_RUNS=$(ROUNDS) $(ONCE) -timeout $$(( 60 * $(TIMES) ))m -run '^TestRandomFaults$$' ./test/e2e
soak-races:
	$(RACE) KUPENSTACK_TEST_RUNS=$(ROUNDS) $(ONCE) -timeout $$(( 60 * $(TIMES) ))m -run '^TestRandomFaults$$' ./test/e2e
soak-sweeps:
	$(RACE) KUPENSTACK_TEST_RUNS=$(TIMES) $(TEST) -timeout $$(( 180 * $(TIMES) ))m -run '^TestDaemonKilledAtEveryKindOfRequest$$' ./test/e2e
soak-others:
	$(RACE) KUPENSTACK_TEST_RUNS=1 $(TEST) -timeout $$(( 180 * $(TIMES) ))m -run '^TestDaemonKilledAt(TheOtherKinds|NodesThatLeave)$$' ./test/e2e
soak-openstack:
	KUPENSTACK_TEST_RUNS=$(if $(SOAK),$$(( 25 * $(SOAK) > 500 ? 25 * $(SOAK) : 500 )),100) $(ONCE) -timeout $$(( 180 + 10 * $(TIMES) ))m -run '^TestBedRandomFaults$$' ./internal/driver/openstack

generate: ## write the generated files
	$(GO) generate ./...

demo: $(TESTBED) ## from nothing to a converged cloud; then a change, drift and a mistake
	$(TESTBED) run -- $(GO) test $(BEDS) -count 1 -v -run '^TestDemo$$' ./test/demo

testbed: $(TESTBED) ## keep the servers running for the inner loop until interrupted
	$(TESTBED) serve

# Built every time: go's own cache knows better than make whether there is anything to do.
.PHONY: $(TESTBED)
$(TESTBED):
	@$(GO) build -o $@ ./test/cmd/testbed

clean: ## remove what the targets built in this checkout
	rm -rf bin
