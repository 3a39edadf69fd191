#!/bin/sh
# Runs every fuzz target of the module for FUZZTIME, one after the other: the go
# command fuzzes one target at a time.
set -eu
: "${FUZZTIME:=20s}"
grep -rlE --include='*_test.go' '^func Fuzz[A-Z]' . | sort | while read -r file; do
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | awk '{print $2}' | while read -r target; do
		echo "== $(dirname "$file") $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME" "$(dirname "$file")"
	done
done
