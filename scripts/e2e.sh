#!/bin/sh
# Drives the built server as a host would: the MCP Inspector over stdio and over
# HTTP, in both eras of the protocol, offline on the example documents; then the
# SDKs that hosts are made of, the official conformance suite, and links to passages
# in a browser. Every answer is
# checked for what it must hold; the first that lacks it ends the run.
set -eu
cd "$(dirname "$0")/.."
sh scripts/inspector.sh --install

server=$PWD/bin/mcp-server
documents=$PWD/examples/documents
work=$(mktemp -d)
export MCP_INSPECTOR_SECRET_STORE=memory
http=
finish() {
	[ -z "$http" ] || kill "$http" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# The same server under three names: how hosts differ is the era and the wire.
write_hosts() {
	cat >"$work/hosts.json" <<JSON
{"mcpServers": {
  "stdio-legacy": {"command": "$server", "args": ["stdio", "--offline", "--files-root", "$documents", "--data-dir", "$work/data"], "protocolEra": "legacy"},
  "stdio-modern": {"command": "$server", "args": ["stdio", "--offline", "--files-root", "$documents", "--data-dir", "$work/data"], "protocolEra": "modern"},
  "http-legacy": {"type": "streamable-http", "url": "$1", "protocolEra": "legacy"},
  "http-modern": {"type": "streamable-http", "url": "$1", "protocolEra": "modern"}
}}
JSON
}

# ask HOST WANT ARGUMENT...: what the Inspector prints must hold the pattern.
ask() {
	host=$1 want=$2
	shift 2
	if ! sh scripts/inspector.sh --cli --config "$work/hosts.json" --server "$host" "$@" >"$work/out" 2>"$work/err"; then
		echo "FAILED: $host $*" >&2
		cat "$work/out" "$work/err" >&2
		exit 1
	fi
	if ! grep -q -- "$want" "$work/out"; then
		echo "FAILED: $host $*: no $want in" >&2
		cat "$work/out" "$work/err" >&2
		exit 1
	fi
	echo "ok: $host $*"
}

"$server" http --listen 127.0.0.1:0 --offline --files "$documents" --data-dir "$work/http" 2>"$work/http.log" &
http=$!
url=$(sh scripts/await-url.sh "$work/http.log")
write_hosts "$url"

question='How much does the Go race detector increase execution time and memory use?'
for host in stdio-legacy stdio-modern http-legacy http-modern; do
	case $host in
	*-legacy) ask $host '"protocolVersion":"2025-11-25"' --method initialize --format json ;;
	*) ask $host '"protocolVersion":"2026-07-28"' --method initialize --format json ;;
	esac
	ask $host '"deep_research"' --method tools/list --strict
	ask $host '"fact_check"' --method prompts/list
	ask $host 'research://runs/{id}/report.md' --method resources/templates/list
	ask $host '"tasks"' --method tools/call --tool-name plan --tool-arg "question=$question"
done
for host in stdio-legacy stdio-modern; do
	ask $host '2 to 20 times' --method tools/call --tool-name deep_research --tool-args-json "{\"question\": \"$question\", \"files\": [\"$documents\"]}"
	ask $host '"done"' --method tools/call --tool-name research_status
done
for host in http-legacy http-modern; do
	ask $host '2 to 20 times' --method tools/call --tool-name deep_research --tool-arg "question=$question"
done

kill "$http"
wait "$http" || { echo "FAILED: the HTTP server did not end well" >&2; cat "$work/http.log" >&2; exit 1; }
http=
echo "ok: the HTTP server ends when it is told to"

sh scripts/clients.sh
sh scripts/conformance.sh
sh scripts/links.sh
