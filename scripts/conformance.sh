#!/bin/sh
# Runs the official conformance suite against the transport of this server, which
# a test serves with the suite's fixtures. No failure is expected; arguments go to
# the suite, such as --scenario NAME.
set -eu
cd "$(dirname "$0")/.."
suite=0.1.16
work=$(mktemp -d)
server=
finish() {
	[ -z "$server" ] || kill -INT "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

go test -c -o "$work/fixtures" ./cmd/mcp-server
DEEPRESEARCH_CONFORMANCE=127.0.0.1:0 "$work/fixtures" -test.run '^TestConformanceServer$' -test.timeout 0 >"$work/out" 2>"$work/log" &
server=$!
url=$(sh scripts/await-url.sh "$work/log")

[ $# -gt 0 ] || set -- --suite all
if ! sh scripts/npm.sh "conformance-$suite" "@modelcontextprotocol/conformance@$suite" \
	conformance server --url "$url" -o "$work/results" "$@" >"$work/report" 2>&1; then
	cat "$work/report" >&2
	echo "FAILED: conformance" >&2
	exit 1
fi
echo "ok: conformance: $(tail -n 1 "$work/report" | sed 's/^Total: //')"
