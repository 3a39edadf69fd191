#!/bin/sh
# Prints the address that a server announces in its log, as soon as it does:
# await-url.sh LOG.
set -eu
tries=0
until url=$(sed -n 's/^listening on //p' "$1" 2>/dev/null) && [ -n "$url" ]; do
	tries=$((tries + 1))
	[ $tries -le 100 ] || {
		echo "FAILED: the server does not listen" >&2
		cat "$1" >&2 || true
		exit 1
	}
	sleep 0.1
done
echo "$url"
