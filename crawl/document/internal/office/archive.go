package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// ErrRefused is in every error about a file that is too large, too deep or too
// broken to be read. The error around it is one sentence.
var ErrRefused = errors.New("the file was not read")

// Bounds of one file. The largest real books and workbooks that were looked at
// have 3,000 entries and unpack to 60 MB.
const (
	maxEntries = 20_000
	maxPart    = 64 << 20  // bytes of one entry, unpacked
	maxTotal   = 128 << 20 // bytes of all entries that are read, unpacked
	maxDepth   = 200       // of XML elements in one another
	maxHTML    = 16 << 20  // bytes written; what comes after is left out
)

// Archive is the parts of an office file. It is used by one goroutine.
type Archive struct {
	parts map[string]*zip.File // by lower-case name
	left  int64                // bytes that may still be unpacked
}

// Open looks into a zip file. Its error is of what is no zip file at all, or
// matches [ErrRefused].
func Open(body []byte) (*Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: it is a damaged zip archive", ErrRefused)
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("%w: its archive has more than %d entries", ErrRefused, maxEntries)
	}
	a := &Archive{parts: make(map[string]*zip.File, len(z.File)), left: maxTotal}
	for _, f := range z.File {
		a.parts[strings.ToLower(f.Name)] = f
	}
	return a, nil
}

// Has reports whether there is a part of the name.
func (a *Archive) Has(name string) bool { return a.parts[strings.ToLower(name)] != nil }

// read unpacks a part; nil when there is none. What the archive says of sizes is
// not believed.
func (a *Archive) read(name string) ([]byte, error) {
	f := a.parts[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(name)
	}
	defer r.Close()
	most := min(maxPart, a.left)
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case int64(len(b)) > most:
		return nil, fmt.Errorf("%w: it unpacks to more than %d MB", ErrRefused, maxTotal>>20)
	case err != nil:
		return nil, damaged(name)
	}
	a.left -= int64(len(b))
	return b, nil
}

func damaged(part string) error {
	return fmt.Errorf("%w: its part %q is damaged", ErrRefused, part)
}

// parse opens the XML of a part at its root element. A part that is missing has no
// elements.
func (a *Archive) parse(name string) (*parser, error) {
	b, err := a.read(name)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(b, []byte("<!ENTITY")) { // which the formats forbid
		return nil, fmt.Errorf("%w: its part %q declares entities", ErrRefused, name)
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the format allows UTF-8 only
	return &parser{d: d, part: name}, nil
}

// relations are the parts that a part points at, by id.
type relation struct {
	target   string // the name of a part, or a URL
	kind     string // the last word of its type
	external bool
}

// relations reads what a part points at. A file without any is an empty map.
func (a *Archive) relations(part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	p, err := a.parse(dir + "_rels/" + base + ".rels")
	if err != nil {
		return nil, err
	}
	found := map[string]relation{}
	err = p.each("Relationship", func(e xml.StartElement) error {
		r := relation{target: attr(e, "Target"), kind: path.Base(attr(e, "Type")), external: attr(e, "TargetMode") == "External"}
		if !r.external {
			r.target = resolve(dir, r.target)
		}
		found[attr(e, "Id")] = r
		return p.skip()
	})
	return found, err
}

// resolve names the part that a reference in a folder means.
func resolve(dir, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if strings.HasPrefix(ref, "/") {
		return strings.TrimPrefix(path.Clean(ref), "/")
	}
	return strings.TrimPrefix(path.Join("/", dir, ref), "/")
}

// main is the part in which an Office Open XML file begins.
func (a *Archive) main() string {
	found, err := a.relations("")
	if err != nil {
		return ""
	}
	for _, r := range found {
		if r.kind == "officeDocument" && a.Has(r.target) {
			return r.target
		}
	}
	return ""
}

// parser reads one part, element by element. Whoever is handed an element reads it
// to its end, by children, text or skip.
type parser struct {
	d     *xml.Decoder
	part  string
	depth int
}

// children hands every element inside the one that was opened last to f.
func (p *parser) children(f func(xml.StartElement) error) error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("%w: its XML nests more than %d deep", ErrRefused, maxDepth)
	}
	defer func() { p.depth-- }()
	for {
		t, err := p.d.Token()
		if err != nil {
			return p.ended(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// ended is the error of a token that could not be read: a part that breaks off is
// read as far as it goes.
func (p *parser) ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return damaged(p.part)
}

// skip passes over the element that was opened last.
func (p *parser) skip() error {
	if err := p.d.Skip(); err != nil {
		return p.ended(err)
	}
	return nil
}

// text is the text in the element that was opened last and the elements inside.
func (p *parser) text() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := p.d.Token()
		if err != nil {
			return b.String(), p.ended(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	return b.String(), nil
}

// each hands every element of a name, wherever it is, to f.
func (p *parser) each(name string, f func(xml.StartElement) error) error {
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		if e.Name.Local == name {
			return f(e)
		}
		return p.children(visit)
	}
	return whole(p.children(visit))
}

// whole turns the end of a part into no error.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// attr is an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
