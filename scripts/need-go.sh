#!/bin/sh
# Fails with one sentence when the Go that would build this module is missing or
# older than go.mod asks for. A Go from 1.21 on fetches the right version itself.
set -eu
want=$(awk '$1 == "go" {print $2; exit}' go.mod)
if ! command -v go >/dev/null 2>&1; then
	echo "Go is not installed: get Go $want or later from https://go.dev/dl/ and run this again." >&2
	exit 1
fi
if ! have=$(go env GOVERSION 2>/dev/null) || [ -z "$have" ]; then
	have=$(GOTOOLCHAIN=local go version 2>/dev/null | awk '{print $3}')
fi
have=${have#go}
older=$(printf '%s %s\n' "${have%%[!0-9.]*}" "$want" | awk '{
	split($1, h, "."); split($2, w, ".")
	for (i = 1; i <= 3; i++) if (h[i] + 0 != w[i] + 0) { print (h[i] + 0 < w[i] + 0); exit }
	print 0
}')
if [ "$older" = 1 ]; then
	echo "Go $have is too old: get Go $want or later from https://go.dev/dl/ and run this again." >&2
	exit 1
fi
