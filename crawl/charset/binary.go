package charset

import "bytes"

// signatures start files that are not text, whatever a server or a name says.
var signatures = []string{"%PDF-", "PK\x03\x04", "\x1f\x8b", "\x89PNG", "\xff\xd8\xff", "GIF8", "RIFF", "\xd0\xcf\x11\xe0", "7z\xbc\xaf", "Rar!", "ID3", "OggS", "\x7fELF", "MZ\x90"}

const (
	binarySample   = 8 << 10
	controlPercent = 2 // more control characters than this share are no text
)

// Binary reports whether the bytes are no text, so that no encoding should be
// looked for in them: they begin like a known binary format, or are full of
// control characters.
func Binary(body []byte) bool {
	for _, s := range signatures {
		if bytes.HasPrefix(body, []byte(s)) {
			return true
		}
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return false // UTF-16, where every other byte may be zero
	}
	sample := body[:min(len(body), binarySample)]
	controls := 0
	for _, b := range sample {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b { // ISO-2022-JP escapes
			controls++
		}
	}
	return controls*100 > len(sample)*controlPercent
}
