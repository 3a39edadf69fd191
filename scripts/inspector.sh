#!/bin/sh
# Runs the MCP Inspector with the given arguments: inspector.sh --cli SERVER ...
# Inspector 2 needs Node 22; where that is missing it comes from npm's `node`
# package. Everything is kept in a folder outside the tree, so only the first
# run needs the npm registry.
set -eu
inspector=2.12.0
: "${DEEPRESEARCH_NODE_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-node}"
home=$DEEPRESEARCH_NODE_CACHE/inspector-$inspector

if ! command -v npm >/dev/null 2>&1; then
	echo "npm is not installed: get Node 22 or later from https://nodejs.org/ (npm comes with it) and run this again." >&2
	exit 1
fi
if [ ! -e "$home/complete" ]; then
	mkdir -p "$home"
	packages="@modelcontextprotocol/inspector@$inspector"
	[ "$(node -p 'process.versions.node.split(".")[0] >= 22' 2>/dev/null)" = true ] || packages="$packages node@22"
	echo "Installing $packages into $home ..." >&2
	# shellcheck disable=SC2086 # one argument a package
	npm install --prefix "$home" --no-audit --no-fund --loglevel=error $packages >&2
	: >"$home/complete"
fi
PATH=$home/node_modules/.bin:$PATH
export PATH
[ "${1-}" != --install ] || exit 0
exec mcp-inspector "$@"
