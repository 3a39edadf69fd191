#!/bin/sh
# Fetches the WebAssembly build of PDFium that the reader of PDF files embeds, by
# the Go module proxy, takes out what pdfium.go never calls (a fifth of the code,
# 40 % of the time it takes to load), and packs it. Then set the sums in the
# package's test. Needs npx and zstd.
set -eu
VERSION="${1:-v1.21.4}"
BINARYEN=132.0.0
package=crawl/document/internal/pdfium
dir="$(go mod download -json "github.com/klippa-app/go-pdfium@$VERSION" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')"
whole="$dir/internal/pdfium_wasm/pdfium.wasm"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
{ echo memory; grep -oE '"(FPDF[A-Za-z_]*|malloc|_initialize)"' "$package/pdfium.go" | tr -d '"'; } | sort -u |
	sed 's/.*/{"name":"&","export":"&","root":true}/' | paste -s -d , | sed 's/.*/[&]/' >"$work/called.json"
npx --yes --package "binaryen@$BINARYEN" wasm-metadce --all-features --disable-compact-imports \
	"$whole" --graph-file "$work/called.json" --output "$work/pdfium.wasm" >/dev/null
zstd -q -f --ultra -22 "$work/pdfium.wasm" -o "$package/pdfium.wasm.zst"
sha256sum "$whole" "$work/pdfium.wasm" "$package/pdfium.wasm.zst"
