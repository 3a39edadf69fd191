# Every target explains itself: run `make`.

BIN     := bin/mcp-server
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
LINT    := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
PREFIX  ?= $(HOME)/.local
FUZZTIME ?= 20s

# A question is text, not make syntax: `$` in it stays what it is. All three reach
# the recipe through the environment, so that no quote in them is read as shell.
override ASK   := $(value ASK)
override FILES := $(value FILES)
override MODEL := $(value MODEL)
export ASK FILES MODEL

.DEFAULT_GOAL := help
.PHONY: help build demo install test race kill lint fuzz bench bench-pages eval snap e2e links rig ollama inspect mcpb clean need-go

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: need-go ## Build bin/mcp-server, one static binary
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/mcp-server

demo: need-go ## See it work without keys; with your own: make demo ASK="a question" [FILES=folder] [MODEL=ollama:llama3.2]
	@test -x $(BIN) || echo "Building for the first time: one to two minutes on two free cores, seconds from then on." >&2
	@$(MAKE) -s build
	@doc="$$(go env GOROOT)/doc"; \
	set --; [ -z "$$MODEL" ] || set -- --model "$$MODEL"; \
	if [ -z "$$ASK" ] && [ -e "$$doc/go_mem.html" ]; then exec $(BIN) demo --also "$$doc" "$$@"; \
	elif [ -z "$$ASK" ]; then exec $(BIN) demo "$$@"; \
	elif [ -z "$$FILES" ]; then exec $(BIN) research "$$ASK" "$$@"; \
	else exec $(BIN) research "$$ASK" --files "$$FILES" --offline "$$@"; fi

install: build ## Copy the binary to ~/.local/bin (or PREFIX/bin)
	mkdir -p "$(PREFIX)/bin"
	install -m 755 $(BIN) "$(PREFIX)/bin/mcp-server"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "$(PREFIX)/bin is not in PATH: add it, or use the full path." >&2 ;; esac

test: need-go ## Run every test
	go test ./...

race: need-go ## Run every test under the race detector (needs a C compiler)
	go test -race ./...

lint: need-go ## Check the layers and the usual mistakes (.golangci.yml)
	$(LINT) run ./...

kill: need-go ## Kill runs 200 times at random points and compare what they came to
	go test ./internal/store/runs/killtest -count=1 -trials 200 -v -timeout 40m

fuzz: need-go ## Fuzz every parser for FUZZTIME (default 20s) each
	FUZZTIME=$(FUZZTIME) sh scripts/fuzz.sh

bench: need-go ## Run the benchmarks with allocations
	go test -run '^$$' -bench . -benchmem ./...

bench-pages: need-go ## Time the reading of pages beside other libraries (a module of its own)
	cd crawl/document/bench && GOMAXPROCS=1 go test -run '^$$' -bench . -benchtime 300x .

eval: need-go ## Measure quality on the fixtures (DEEPRESEARCH_EVAL=full: also out of fold)
	go test -count=1 -v ./research/eval/...
	go test -count=1 -v -timeout 2h -run OutOfFold ./crawl/document/train

pdf-check: need-go ## Compare what is read of PDF manuals with pdftotext (Debian)
	sh scripts/pdf.sh

snap: need-go ## Rewrite the golden files, then look at git diff
	sh scripts/snap.sh

e2e: build ## Drive the server with the MCP Inspector over stdio and HTTP
	sh scripts/e2e.sh
	sh scripts/model-engine.sh --check
	sh scripts/model-run.sh

links: need-go ## Open a hundred links to passages in Chromium: each must highlight its words
	sh scripts/links.sh

rig: build ## Research on real servers on this machine: make rig [CHECK=1] (Debian 12)
	sh scripts/rig.sh $(if $(CHECK),--check)

ollama: build ## Build a real Ollama and point the server at it: make ollama [CHECK=1] (C++ compiler)
	sh scripts/ollama.sh $(if $(CHECK),--check)

inspect: build ## Open the MCP Inspector on the server
	sh scripts/inspector.sh ./$(BIN)

mcpb: need-go ## Pack a bundle that hosts install with a click: out/*.mcpb
	VERSION=$(VERSION) sh scripts/mcpb.sh

clean: ## Remove what was built
	rm -rf bin out

need-go:
	@sh scripts/need-go.sh
