# The commands of this repository; each may be run by hand as well.
GO      ?= go
# The targets, and the packages that know what a machine word or a system call is.
ARCHES  := arm64 arm riscv64 386 mips ppc64le
NEAR    := ./internal/sys ./rtsched ./sampler ./session ./latency ./host ./transport/shm
TOOLS   := $(notdir $(wildcard cmd/[a-z]*))
FUZZTIME ?= 10s

.PHONY: all build test lint generate fuzz soak test-kernels bench bench-latency bench-guest bench-loadgen bench-switchbench bench-transport

all: lint build test

# Static binaries without symbols in bin/: what ships to a board.
build:
	@for t in $(filter-out internal,$(TOOLS)); do \
	  CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/$$t ./cmd/$$t || exit 1; done

# All tests. Those that make real-time threads take turns: it takes minutes.
test:
	$(GO) test ./...

lint:
	@out=$$($(GO) tool gofumpt -l .); if [ -n "$$out" ]; then echo "gofumpt: $$out"; exit 1; fi
	$(GO) vet ./...
	@for a in $(ARCHES); do GOARCH=$$a $(GO) vet $(NEAR) || exit 1; done
	$(GO) tool staticcheck ./...
	@git ls-files -z '*.sh' .ci/run | xargs -0 -n1 bash -n

generate:
	$(GO) generate ./...

# Each fuzz target for a while, two side by side.
fuzz:
	@grep -roE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | sed 's|/[^/]*:func | |' | sort | \
	  xargs -P2 -I{} sh -c '.ci/fuzz {} $(FUZZTIME)'

# The full counts that tests take samples of: hours of kills, simulations, runs.
soak:
	WORSTCASE_SOAK=1 $(GO) test -count=1 -timeout 6h ./...

# Tests in guests with these kernels, which are downloaded once (60 to 110 MB
# each); needs qemu, apt-get and xz.
KERNELS ?= 6.1-amd64,6.1-rt-amd64,6.12-amd64,6.12-rt-amd64,6.1-arm64,6.1-rt-arm64,6.12-arm64,6.12-rt-arm64,6.1-armmp,6.1-rt-armmp
test-kernels:
	WORSTCASE_KERNELS=$(KERNELS) $(GO) test -count=1 -timeout 2h $$(grep -rl --include='*_test.go' 'kernels\.Get' . | xargs -n1 dirname | sort -u)

bench: bench-latency bench-guest bench-loadgen bench-switchbench bench-transport

# Ours against Debian's cyclictest, in turn; needs root and rt-tests.
bench-latency:
	$(GO) run ./bench/latency

# The same in a guest whose clock counts instructions: ratios without noise.
bench-guest:
	WORSTCASE_KERNELS=6.1-rt-amd64 $(GO) test -run '^$$' -bench 'Cyclictest|Switches' -benchtime 1x ./internal/kernels

# Loads against hackbench and stress-ng, in turn; needs root and both.
bench-loadgen:
	$(GO) run ./bench/loadgen

# Switches against rt-tests, perf and a C program, in turn; needs root, rt-tests,
# linux-perf and a C compiler.
bench-switchbench:
	$(GO) run ./bench/switchbench

# Transports against C, iceoryx, sockperf and memory itself; needs root, a C
# compiler, iceoryx, libiceoryx-binding-c-dev and sockperf.
bench-transport:
	$(GO) run ./transport/bench size touch notify spin rate idle iceoryx sockperf
