#!/bin/sh
# Runs a command with npm packages at hand: npm.sh NAME "PACKAGES" COMMAND...
# They are installed once, into a folder NAME outside the tree, so only the first
# run needs the npm registry. Where Node 22 is missing it comes from npm's `node`
# package. The command finds the folder in NODE_HOME.
set -eu
name=$1 packages=$2
shift 2
: "${DEEPRESEARCH_NODE_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-node}"
NODE_HOME=$DEEPRESEARCH_NODE_CACHE/$name

if ! command -v npm >/dev/null 2>&1; then
	echo "npm is not installed: get Node 22 or later from https://nodejs.org/ (npm comes with it) and run this again." >&2
	exit 1
fi
if [ ! -e "$NODE_HOME/complete" ]; then
	mkdir -p "$NODE_HOME"
	[ "$(node -p 'process.versions.node.split(".")[0] >= 22' 2>/dev/null)" = true ] || packages="$packages node@22"
	echo "Installing $packages into $NODE_HOME ..." >&2
	# shellcheck disable=SC2086 # one argument a package
	npm install --prefix "$NODE_HOME" --no-audit --no-fund --loglevel=error $packages >&2
	: >"$NODE_HOME/complete"
fi
PATH=$NODE_HOME/node_modules/.bin:$PATH
export PATH NODE_HOME
exec "$@"
