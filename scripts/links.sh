#!/bin/sh
# Opens about a hundred links to passages in a real browser: pages of documentation
# in five languages, served on loopback, read and cited by this repository's own
# code, each link loaded by Chromium, which must scroll to the quoted words and
# highlight them from the first to the last.
#
#   scripts/links.sh [LINKS]    default 100
#
# The pages come from Debian packages that are unpacked into LINKS_CACHE (90 MB)
# and never installed. Chromium is installed by apt-get where it is missing and
# we may; where it cannot be had, or the pages cannot, the reason is printed and
# nothing is checked.
set -eu
cd "$(dirname "$0")/.."
links=${1:-100}
cache=${LINKS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-links}
documentation="python3.11-doc git-doc debian-reference-de debian-reference-fr debian-reference-ja debian-reference-zh-cn"

skip() {
	echo "skipped: links in a browser: $*"
	exit 0
}

browser() {
	for name in chromium chromium-browser google-chrome; do
		if command -v "$name"; then return 0; fi
	done
	return 1
}

if ! chromium=$(browser); then
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "there is no Chromium, and only root on Debian can have it installed"
	echo "Installing chromium ..." >&2
	apt-get install -y -q --no-install-recommends chromium >/dev/null 2>&1 || skip "apt-get could not install chromium"
	chromium=$(browser) || skip "apt-get installed no Chromium"
fi

if [ ! -e "$cache/complete" ]; then
	command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "the pages come from Debian packages, which need apt-get and dpkg"
	echo "Fetching pages of documentation into $cache, once" >&2
	rm -rf "$cache"
	mkdir -p "$cache/packages"
	# shellcheck disable=SC2086 # one argument a package
	(cd "$cache/packages" && apt-get download -q $documentation >fetch.log 2>&1) ||
		skip "the packages could not be fetched (see $cache/packages/fetch.log; apt-get update may help)"
	for package in "$cache"/packages/*.deb; do
		dpkg -x "$package" "$cache/root"
	done
	touch "$cache/complete"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
go build -o "$work/links" ./scripts/links
sh scripts/npm.sh links "puppeteer-core@24 pngjs@7" node scripts/links/browser.mjs "$chromium" "$work/profile" \
	"$work/links" "$links" "$(go env GOROOT)/doc" "$cache/root/usr/share/doc/python3.11/html" \
	"$cache/root/usr/share/doc/git-doc" "$cache/root/usr/share/debian-reference"
