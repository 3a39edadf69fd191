#!/bin/sh
# Compares what is read of PDF manuals with what pdftotext reads of them: words and
# pages. Debian's documentation packages have the manuals; they are fetched once to
# a folder of the user's cache. Needs apt-get, dpkg-deb and pdftotext (poppler-utils).
set -eu
for tool in apt-get dpkg-deb pdftotext; do
	command -v "$tool" >/dev/null || { echo "pdf.sh: $tool is missing, so nothing was compared" >&2; exit 2; }
done
folder="${DEEPRESEARCH_PDF:-${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch/pdf-check}"
mkdir -p "$folder"
if [ "$(find "$folder" -name '*.pdf' | wc -l)" -lt 10 ]; then
	work="$(mktemp -d)"
	trap 'rm -rf "$work"' EXIT
	(cd "$work" && for p in asymptote-doc bash-doc debian-faq debian-policy debmake-doc developers-reference gnuplot-doc libatlas-doc maint-guide octave-doc pari-doc r-doc-pdf ghostscript-doc; do
		apt-get download -qq "$p" >/dev/null && dpkg-deb -x "$p"_*.deb tree || echo "pdf.sh: $p could not be fetched" >&2
	done)
	for name in GS9_Color_Management R-exts R-intro asymptote atlas_contrib bash bashref debian-faq.en debmake-doc.de debmake-doc.en debmake-doc.ru developers-reference fhs-3.0 gnuplot libpari maint-guide.en octave policy tutorial; do
		find "$work/tree" -type f \( -name "$name.pdf" -o -name "$name.pdf.gz" \) | head -n 1 | while read -r file; do
			case "$file" in *.gz) gzip -dc "$file" >"$folder/$name.pdf" ;; *) cp "$file" "$folder/$name.pdf" ;; esac
		done
	done
fi
DEEPRESEARCH_PDF="$folder" go test -count=1 -v -timeout 20m -run 'Agreement' ./crawl/document/internal/pdf
