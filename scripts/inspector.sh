#!/bin/sh
# Runs the MCP Inspector with the given arguments: inspector.sh --cli SERVER ...
set -eu
inspector=2.12.0
command=mcp-inspector
if [ "${1-}" = --install ]; then
	command=true
fi
exec sh "$(dirname "$0")/npm.sh" "inspector-$inspector" "@modelcontextprotocol/inspector@$inspector" "$command" "$@"
