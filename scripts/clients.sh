#!/bin/sh
# Drives the built server with the SDKs that hosts are made of: TypeScript 1 and 2
# and Python, over a search engine on the loopback.
set -eu
cd "$(dirname "$0")/.."
v1=1.32.2 v2=2.4.0
typescript="@modelcontextprotocol/sdk@$v1 @modelcontextprotocol/client@$v2"
python="mcp==2.3.0"
: "${DEEPRESEARCH_PYTHON_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-python}"

SERVER=$PWD/bin/mcp-server
work=$(mktemp -d)
DATA=$work/data
finish() {
	for pid in ${web-} ${http-}; do kill "$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

with_node="sh scripts/npm.sh sdk-$v1-$v2"

$with_node "$typescript" node scripts/clients/slow-web.mjs 2500 >"$work/web" &
web=$!
tries=0
until WEB=$(cat "$work/web") && [ -n "$WEB" ]; do
	tries=$((tries + 1))
	[ $tries -le 1200 ] || { echo "FAILED: the search engine of the test does not start" >&2; exit 1; }
	sleep 0.1
done
export SERVER DATA WEB
export DEEPRESEARCH_SEARCH=searxng SEARXNG_URL="$WEB" DEEPRESEARCH_ALLOW_HOSTS="${WEB#http://}"

"$SERVER" http --listen 127.0.0.1:0 --data-dir "$work/http" 2>"$work/log" &
http=$!
URL=$(sh scripts/await-url.sh "$work/log")
export URL

for client in sdk-v1 sdk-v2 task; do
	$with_node "$typescript" node scripts/clients/$client.mjs
done

# The Inspector gives every call up after a minute. In the newer era it takes a
# long run as a protocol task.
MCP_INSPECTOR_SECRET_STORE=memory sh scripts/inspector.sh --cli "$URL" --transport http --protocol-era modern --method tools/call \
	--tool-name deep_research --tool-args-json '{"question": "How tall is the tower of Tarn?", "effort": "quick", "fresh": true}' >"$work/inspected" 2>&1 &&
	grep -q 'status done' "$work/inspected" || { cat "$work/inspected" >&2; echo "FAILED: a task with the Inspector" >&2; exit 1; }
echo "ok: a long run as a protocol task with the Inspector"

if ! command -v python3 >/dev/null 2>&1; then
	echo "left out: the Python SDK, because there is no python3"
	exit 0
fi
venv=$DEEPRESEARCH_PYTHON_CACHE/$python
if [ ! -e "$venv/complete" ]; then
	echo "Installing $python into $venv ..." >&2
	python3 -m venv "$venv"
	"$venv/bin/pip" install -q --disable-pip-version-check "$python"
	: >"$venv/complete"
fi
"$venv/bin/python" scripts/clients/sdk.py
