#!/bin/sh
# Fetches the WebAssembly build of PDFium that the reader of PDF files embeds, by
# the Go module proxy, and packs it. Then set the sum in the package's test.
set -eu
VERSION="${1:-v1.21.4}"
dir="$(go mod download -json "github.com/klippa-app/go-pdfium@$VERSION" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')"
to=crawl/document/internal/pdfium/pdfium.wasm.zst
zstd -q -f --ultra -22 "$dir/internal/pdfium_wasm/pdfium.wasm" -o "$to"
sha256sum "$dir/internal/pdfium_wasm/pdfium.wasm" "$to"
