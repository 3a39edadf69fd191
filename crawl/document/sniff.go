package document

import (
	"bytes"
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

type format int

const (
	unsupported format = iota
	formatHTML
	formatMarkdown
	formatText
	formatTable // CSV and TSV
	formatJSON
	formatFeed
	formatCode
	formatOffice // a zip archive of XML
	formatPDF
)

// sniffed is what an input was taken for. name is the media type, or for source
// code the language.
type sniffed struct {
	format format
	name   string
}

// signatures are first bytes of formats that are not text (WHATWG MIME Sniffing,
// section 6, and the formats' own documents).
var signatures = []struct{ prefix, name string }{
	{"\x1f\x8b", "application/gzip"},
	{"\x28\xb5\x2f\xfd", "application/zstd"},
	{"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{"Rar!", "application/vnd.rar"},
	{"\x89PNG", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF8", "image/gif"},
	{"RIFF", "audio, video or image in RIFF"},
	{"OggS", "application/ogg"},
	{"ID3", "audio/mpeg"},
	{"\x00\x00\x00\x18ftyp", "video/mp4"},
	{"\x00\x00\x00\x20ftyp", "video/mp4"},
	{"\x1a\x45\xdf\xa3", "video/webm"},
	{"\xd0\xcf\x11\xe0", "application/x-ole-storage (an Office file of before 2007, or one with a password)"},
	{"SQLite format 3", "application/vnd.sqlite3"},
	{"\x00asm", "application/wasm"},
	{"\x7fELF", "application/x-elf"},
	{"MZ\x90", "application/vnd.microsoft.portable-executable"},
	{"wOFF", "font/woff"},
	{"wOF2", "font/woff2"},
	{"{\\rtf", "application/rtf"},
	{"\xff\xfe", "text in UTF-16, not decoded"},
	{"\xfe\xff", "text in UTF-16, not decoded"},
}

var extensions = map[string]sniffed{
	".html": {formatHTML, "text/html"}, ".htm": {formatHTML, "text/html"}, ".xhtml": {formatHTML, "text/html"},
	".md": {formatMarkdown, "text/markdown"}, ".markdown": {formatMarkdown, "text/markdown"}, ".mdx": {formatMarkdown, "text/markdown"}, ".rmd": {formatMarkdown, "text/markdown"}, ".qmd": {formatMarkdown, "text/markdown"},
	".txt": {formatText, "text/plain"}, ".text": {formatText, "text/plain"}, ".log": {formatText, "text/plain"}, ".rst": {formatText, "text/plain"}, ".adoc": {formatText, "text/plain"}, ".org": {formatText, "text/plain"}, ".srt": {formatText, "text/plain"}, ".vtt": {formatText, "text/plain"},
	".csv": {formatTable, "text/csv"}, ".tsv": {formatTable, "text/tab-separated-values"}, ".tab": {formatTable, "text/tab-separated-values"},
	".json": {formatJSON, "json"}, ".geojson": {formatJSON, "json"}, ".jsonl": {formatCode, "json"}, ".ndjson": {formatCode, "json"},
	".go": {formatCode, "go"}, ".py": {formatCode, "python"}, ".js": {formatCode, "javascript"}, ".mjs": {formatCode, "javascript"}, ".ts": {formatCode, "typescript"}, ".tsx": {formatCode, "typescript"}, ".jsx": {formatCode, "javascript"},
	".java": {formatCode, "java"}, ".kt": {formatCode, "kotlin"}, ".scala": {formatCode, "scala"}, ".c": {formatCode, "c"}, ".h": {formatCode, "c"}, ".cc": {formatCode, "cpp"}, ".cpp": {formatCode, "cpp"}, ".hpp": {formatCode, "cpp"}, ".cs": {formatCode, "csharp"},
	".rs": {formatCode, "rust"}, ".rb": {formatCode, "ruby"}, ".php": {formatCode, "php"}, ".swift": {formatCode, "swift"}, ".sh": {formatCode, "sh"}, ".bash": {formatCode, "sh"}, ".ps1": {formatCode, "powershell"}, ".lua": {formatCode, "lua"}, ".r": {formatCode, "r"}, ".jl": {formatCode, "julia"}, ".hs": {formatCode, "haskell"}, ".ex": {formatCode, "elixir"}, ".erl": {formatCode, "erlang"}, ".pl": {formatCode, "perl"},
	".sql": {formatCode, "sql"}, ".css": {formatCode, "css"}, ".scss": {formatCode, "scss"}, ".xml": {formatCode, "xml"}, ".svg": {formatCode, "xml"}, ".yaml": {formatCode, "yaml"}, ".yml": {formatCode, "yaml"}, ".toml": {formatCode, "toml"}, ".ini": {formatCode, "ini"}, ".proto": {formatCode, "proto"}, ".tex": {formatCode, "tex"}, ".bib": {formatCode, "bibtex"}, ".diff": {formatCode, "diff"}, ".patch": {formatCode, "diff"},
}

var mediaTypes = map[string]sniffed{
	"text/html": {formatHTML, "text/html"}, "application/xhtml+xml": {formatHTML, "text/html"},
	"text/markdown": {formatMarkdown, "text/markdown"}, "text/x-markdown": {formatMarkdown, "text/markdown"},
	"text/csv": {formatTable, "text/csv"}, "text/tab-separated-values": {formatTable, "text/tab-separated-values"},
	"application/json": {formatJSON, "json"}, "text/json": {formatJSON, "json"},
	"application/x-ndjson": {formatCode, "json"},
	"application/xml":      {formatCode, "xml"}, "text/xml": {formatCode, "xml"},
	"application/javascript": {formatCode, "javascript"}, "text/javascript": {formatCode, "javascript"},
	"text/css": {formatCode, "css"}, "application/yaml": {formatCode, "yaml"}, "application/toml": {formatCode, "toml"},
}

// sniff decides the format: a signature of a binary format, then an HTML document's
// first tag, then the extension, then the media type, then what the text looks like.
// Servers send PDF as text/html and HTML under names ending in .md, hence this order.
func sniff(in Input) sniffed {
	head := in.Body[:min(len(in.Body), 4096)]
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.prefix)) {
			return sniffed{unsupported, s.name}
		}
	}
	if bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) { // Adobe's readers look that far, and files have learnt it
		return sniffed{formatPDF, "application/pdf"}
	}
	if isZip(head) {
		return sniffed{formatOffice, "application/zip"}
	}
	media, _, err := mime.ParseMediaType(in.ContentType)
	if err != nil {
		media = ""
	}
	if name := binary(head); name != "" {
		return sniffed{unsupported, name}
	}
	if isFeed(head) {
		return sniffed{formatFeed, "application/feed"}
	}
	tag := firstTag(head)
	switch tag {
	case "!doctype html", "html", "head", "body":
		return sniffed{formatHTML, "text/html"}
	}
	ext := suffix(in)
	byName, named := extensions[ext]
	byType, typed := mediaTypes[media]
	switch {
	case typed && byType.format == formatHTML && tag != "":
		return byType // a script's extension (.php, .c) in a URL says nothing about its output
	case named && byName.format != formatHTML || named && tag != "":
		return byName
	case typed && media != "text/html":
		return byType
	case strings.HasSuffix(media, "+json"):
		return mediaTypes["application/json"]
	case strings.HasSuffix(media, "+xml") || tag == "?xml":
		return mediaTypes["application/xml"]
	case tag != "":
		return sniffed{formatHTML, "text/html"}
	case media != "text/plain" && jsonLike(in.Body):
		return mediaTypes["application/json"]
	}
	return sniffed{formatText, "text/plain"}
}

// suffix is the extension of the name, or of the URL's path, in lower case.
func suffix(in Input) string {
	if in.Name != "" {
		return strings.ToLower(path.Ext(in.Name))
	}
	if u, err := url.Parse(in.URL); err == nil {
		return strings.ToLower(path.Ext(u.Path))
	}
	return ""
}

// binary names bytes that no text has: NUL, or control characters or broken UTF-8
// in more than a tenth of the places; "" for text.
func binary(head []byte) string {
	controls, broken := 0, 0
	for i := 0; i < len(head); {
		c := head[i]
		if c < utf8.RuneSelf {
			if c == 0 {
				return "binary bytes"
			}
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b {
				controls++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			broken++
		}
		i += n
	}
	switch {
	case controls*10 > len(head):
		return "binary bytes"
	case broken*10 > len(head):
		return "text in a character set other than UTF-8"
	}
	return ""
}

// firstTag returns the name of the tag the text begins with, after white space, a
// byte order mark and comments; "" when it begins with something else.
func firstTag(head []byte) string {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n\f")
		rest, found := bytes.CutPrefix(head, []byte("<!--"))
		if !found {
			break
		}
		_, after, closed := bytes.Cut(rest, []byte("-->"))
		if !closed {
			return "!--"
		}
		head = after
	}
	if len(head) < 3 || head[0] != '<' {
		return ""
	}
	lower := strings.ToLower(string(head[1:min(len(head), 40)]))
	if strings.HasPrefix(lower, "!doctype html") {
		return "!doctype html"
	}
	end := strings.IndexAny(lower, " \t\r\n>/")
	if end <= 0 || !(lower[0] >= 'a' && lower[0] <= 'z' || lower[0] == '?') {
		return ""
	}
	return lower[:end]
}

func jsonLike(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 1 && (b[0] == '{' && b[len(b)-1] == '}' || b[0] == '[' && b[len(b)-1] == ']')
}
