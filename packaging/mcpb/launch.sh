#!/bin/sh
# Starts the server of this bundle for this machine. Hosts unpack bundles without
# the right to execute, so it is given back; where that is not allowed a copy runs.
set -eu
here=$(dirname "$0")
system=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
x86_64 | amd64) cpu=amd64 ;;
arm64 | aarch64) cpu=arm64 ;;
*) cpu=$(uname -m) ;;
esac
server=$here/mcp-server-$system-$cpu
if [ ! -f "$server" ]; then
	echo "mcp-server: this bundle has no server for $system on $cpu; build one with: make install" >&2
	exit 1
fi
if [ ! -x "$server" ] && ! chmod +x "$server" 2>/dev/null; then
	copy=$(mktemp)
	cp "$server" "$copy"
	chmod 700 "$copy"
	server=$copy
fi
exec "$server" stdio "$@"
