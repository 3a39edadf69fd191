#!/bin/sh
# Runs the tests that keep golden files with -update. Packages without that flag
# are left out, because their test binary would refuse it.
set -eu
folders=$(grep -rl --include='*_test.go' '"update"' . | xargs -n 1 dirname | sort -u)
[ -n "$folders" ] || exit 0
# shellcheck disable=SC2086 # one argument a folder; no folder of ours has a space
go test -count=1 $folders -update
