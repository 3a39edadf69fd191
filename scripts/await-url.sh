#!/bin/sh
# Prints the address that a server announces in its log: await-url.sh LOG.
set -eu
tries=0
until url=$(sed -n 's/^listening on //p' "$1") && [ -n "$url" ]; do
	tries=$((tries + 1))
	[ $tries -le 100 ] || {
		echo "FAILED: the server does not listen" >&2
		cat "$1" >&2
		exit 1
	}
	sleep 0.1
done
echo "$url"
