// Package charset turns text of any encoding into UTF-8.
//
// [Text] is for bytes that are known to be text. [Binary] tells those that are
// not. The package guesses no language and changes no text that is UTF-8
// already.
package charset

import (
	"bytes"
	"slices"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/transform"
)

// Text decodes the body of a text, whose Content-Type may be empty. It believes, in this order: a byte order
// mark; bytes that are valid UTF-8, for no other encoding makes long ones by
// accident, whatever a label says; the Content-Type header, then a meta tag in
// the first 1,024 bytes (WHATWG HTML, "encoding sniffing"); an XML
// declaration; what the bytes look like. name is the encoding used.
func Text(body []byte, contentType string) (text []byte, name string) {
	label, e := declared(body, contentType)
	switch {
	case label == "utf-16le" || label == "utf-16be" || label == "iso-2022-jp":
		return decodeAs(e, body), label
	case validUTF8(body):
		if japaneseEscapes(body) {
			return decodeAs(japanese.ISO2022JP, body), "iso-2022-jp"
		}
		return toValid(bytes.TrimPrefix(body, []byte("\ufeff"))), "utf-8"
	case label == "utf-8" && mostlyUTF8(body):
		return toValid(bytes.TrimPrefix(body, []byte("\ufeff"))), "utf-8"
	case label != "" && label != "utf-8":
		return decodeAs(e, body), label
	}
	name, e = detect(body)
	return decodeAs(e, body), name
}

// metaWindow is where a meta tag must stand to be looked at.
const metaWindow = 1024

// declared returns the encoding that the page or its server names, or "".
func declared(body []byte, contentType string) (label string, e encoding.Encoding) {
	head := body[:min(len(body), metaWindow)]
	// The library looks for a meta tag, but answers as if it had guessed: with
	// the text masked, every answer but its last resort comes from a tag. The
	// last resort, windows-1252, is that of the detector too.
	e, label, certain := htmlcharset.DetermineEncoding(masked(head), contentType)
	if certain || label != "windows-1252" {
		return label, e
	}
	if bytes.HasPrefix(head, []byte("<?xml")) {
		decl, _, _ := bytes.Cut(head, []byte("?>"))
		if _, rest, ok := bytes.Cut(decl, []byte("encoding=")); ok && len(rest) > 1 {
			if value, _, ok := bytes.Cut(rest[1:], rest[:1]); ok {
				if e, label = htmlcharset.Lookup(string(value)); e != nil {
					return label, e
				}
			}
		}
	}
	return "", nil
}

// masked keeps a byte order mark and ASCII.
func masked(head []byte) []byte {
	out := bytes.Clone(head)
	for i := 3; i < len(out); i++ {
		if out[i] >= utf8.RuneSelf {
			out[i] = '?'
		}
	}
	return out
}

func decodeAs(e encoding.Encoding, body []byte) []byte {
	out, _, err := transform.Bytes(e.NewDecoder(), body)
	if err != nil {
		return toValid(body)
	}
	return bytes.TrimPrefix(out, []byte("\ufeff"))
}

// validUTF8 allows for a last rune that a cut took the end of.
func validUTF8(b []byte) bool {
	for n := range min(utf8.UTFMax, len(b)+1) {
		if utf8.Valid(b[:len(b)-n]) {
			return n == 0 || !utf8.FullRune(b[len(b)-n:])
		}
	}
	return false
}

// mostlyUTF8 reports whether fewer than one in twenty runes beyond ASCII are
// broken: a page put together from two encodings, or damaged.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		i += n
	}
	return bad*20 < good
}

func toValid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\ufffd"))
}

// japaneseEscapes finds the switches of ISO-2022-JP, which is all ASCII.
func japaneseEscapes(b []byte) bool {
	b = b[:min(len(b), 64<<10)]
	return slices.ContainsFunc([]string{"\x1b$B", "\x1b$@"}, func(s string) bool { return bytes.Contains(b, []byte(s)) })
}
