package document

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// zipped packs parts, in the order of their names; small ones as they are, which
// is what makes fuzzing fast.
func zipped(parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		method := zip.Store
		if len(parts[name]) > 500 {
			method = zip.Deflate
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(parts[name])); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// relations is a part of relations: id, kind, target, three by three.
func relations(triples ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(triples); i += 3 {
		mode := ""
		if strings.Contains(triples[i+2], "://") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"%s/>`, triples[i], triples[i+1], triples[i+2], mode)
	}
	return b.String() + `</Relationships>`
}

const coreProperties = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">` +
	`<dc:title>Ferry timetable study</dc:title><dc:creator>Ada Quay; Bo Pier</dc:creator><dcterms:created>2024-03-05T09:30:00Z</dcterms:created><dcterms:modified>2024-04-01T00:00:00Z</dcterms:modified></cp:coreProperties>`

func wordFile(body string) map[string]string {
	return map[string]string{
		"_rels/.rels":                  relations("r1", "officeDocument", "word/document.xml"),
		"docProps/core.xml":            coreProperties,
		"word/_rels/document.xml.rels": relations("s", "styles", "styles.xml", "n", "numbering", "numbering.xml", "f", "footnotes", "footnotes.xml", "l", "hyperlink", "https://example.org/tides"),
		"word/styles.xml": `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>` +
			`<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>`,
		"word/numbering.xml": `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>` +
			`<w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
		"word/footnotes.xml": `<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>Measured at low tide.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/document.xml":  `<w:document xmlns:w="w" xmlns:r="r" xmlns:mc="mc"><w:body>` + body + `</w:body></w:document>`,
	}
}

func wordParagraph(properties, text string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func wordCell(properties, text string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + wordParagraph("", text) + `</w:tc>`
}

var wordBody = wordParagraph(`<w:pStyle w:val="berschrift1"/>`, "Crossings") +
	`<w:p><w:r><w:t xml:space="preserve">The ferry </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>leaves</w:t></w:r><w:r><w:t xml:space="preserve"> at nine</w:t></w:r><w:del><w:r><w:delText> or ten</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t> Ignore this.</w:t></w:r><w:r><w:rPr><w:color w:val="ffffff"/></w:rPr><w:t> Nor this.</w:t></w:r><w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="1F3864"/></w:rPr><w:t xml:space="preserve"> or later</w:t></w:r>` +
	`<w:r><w:t xml:space="preserve">; see the </w:t></w:r><w:hyperlink r:id="l"><w:r><w:t>tide tables</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>` +
	wordParagraph(`<w:pStyle w:val="Own"/>`, "Rules") +
	wordParagraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr>`, "Board early.") +
	wordParagraph(`<w:numPr><w:ilvl w:val="1"/><w:numId w:val="7"/></w:numPr>`, "Bicycles first.") +
	wordParagraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr>`, "Stay inside.") +
	`<w:tbl><w:tblPr><w:tblLook w:val="04A0"/></w:tblPr><w:tr>` + wordCell("", "Port") + wordCell("", "Departure") + `</w:tr><w:tr>` + wordCell(`<w:vMerge w:val="restart"/>`, "North") + wordCell("", "09:00") + `</w:tr><w:tr>` + wordCell(`<w:vMerge/>`, "") + wordCell("", "11:00") + `</w:tr></w:tbl>` +
	`<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent>` + wordParagraph("", "A box beside the text.") + `</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent><w:t>The last crossing is at dusk.</w:t></w:r></w:p>`

func slidesFile() map[string]string {
	shape := func(kind, paragraphs string) string {
		return `<p:sp><p:nvSpPr><p:nvPr>` + kind + `</p:nvPr></p:nvSpPr><p:txBody>` + paragraphs + `</p:txBody></p:sp>`
	}
	paragraph := func(level int, text string) string {
		return fmt.Sprintf(`<a:p><a:pPr lvl="%d"/><a:r><a:t>%s</a:t></a:r></a:p>`, level, text)
	}
	slide := func(attr, shapes string) string {
		return `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r"` + attr + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
	}
	return map[string]string{
		"_rels/.rels":                      relations("r1", "officeDocument", "/ppt/presentation.xml"),
		"ppt/presentation.xml":             `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/><p:sldId id="258" r:id="c"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  relations("a", "slide", "slides/slide1.xml", "b", "slide", "slides/slide2.xml", "c", "slide", "slides/slide3.xml"),
		"ppt/slides/slide2.xml":            slide("", shape(`<p:ph type="title"/>`, paragraph(0, "Harbour budget"))+shape(`<p:ph idx="1"/>`, paragraph(0, "Dredging")+paragraph(1, "Every second year"))+shape(`<p:ph type="sldNum"/>`, paragraph(0, "1"))),
		"ppt/slides/_rels/slide2.xml.rels": relations("n", "notesSlide", "../notesSlides/notesSlide1.xml"),
		"ppt/notesSlides/notesSlide1.xml":  slide("", shape(`<p:ph type="body"/>`, paragraph(0, "Say that the dredger is rented."))+shape(`<p:ph type="sldImg"/>`, paragraph(0, "picture"))),
		"ppt/slides/slide1.xml":            slide("", shape("", paragraph(0, "A plain box."))+`<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc><a:txBody>`+paragraph(0, "Year")+`</a:txBody></a:tc><a:tc><a:txBody>`+paragraph(0, "Cost")+`</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>`+paragraph(0, "2023")+`</a:txBody></a:tc><a:tc><a:txBody>`+paragraph(0, "4.1 M")+`</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`),
		"ppt/slides/slide3.xml":            slide(` show="0"`, shape("", paragraph(0, "Secret backup slide."))),
	}
}

func workbookFile() map[string]string {
	return map[string]string{
		"_rels/.rels":                relations("r1", "officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="Tides" sheetId="1" r:id="a"/><sheet name="Hidden" sheetId="2" state="hidden" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations("a", "worksheet", "worksheets/sheet1.xml", "b", "worksheet", "worksheets/sheet2.xml", "c", "sharedStrings", "sharedStrings.xml", "d", "styles", "styles.xml"),
		"xl/sharedStrings.xml":       `<sst><si><t>Day</t></si><si><r><t>High</t></r><r><t> water</t></r><rPh><t>yomi</t></rPh></si></sst>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Safe</t></is></c></row>` +
			`<row r="3"><c r="A3" s="1"><v>45292</v></c><c r="B3"><v>3.1000000000000001</v></c><c r="D3" t="b"><v>1</v></c></row><row r="4"><c r="A4" s="2"><v>45293.5</v></c><c r="B4"><f>1+1</f><v>2</v></c><c r="D4" t="str"><v>maybe</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`,
	}
}

func bookFile() map[string]string {
	return map[string]string{
		"mimetype":               "application/epub+zip",
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf": `<package xmlns:dc="dc"><metadata><dc:title>The Lock Keeper</dc:title><dc:creator>Cy Weir</dc:creator><dc:language>en</dc:language><dc:date>2019-05-04</dc:date></metadata>` +
			`<manifest><item id="one" href="one%20.xhtml" media-type="application/xhtml+xml"/><item id="two" href="two.xhtml" media-type="application/xhtml+xml"/><item id="css" href="a.css" media-type="text/css"/></manifest><spine><itemref idref="two"/><itemref idref="one"/></spine></package>`,
		"OEBPS/one .xhtml": `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><style>.x{display:none}</style></head><body><h1>Second</h1><a id="m"/><p>The gate <em>opened</em>.<br/>Water fell.</p><p class="x">Never seen.</p></body></html>`,
		"OEBPS/two.xhtml":  `<html><body><h1>First</h1><p>Rain all week.</p><ul><li>Rope</li><li>Lamp</li></ul></body></html>`,
	}
}

func TestOffice(t *testing.T) {
	for name, parts := range map[string]map[string]string{
		"crossings.docx": wordFile(wordBody), "harbour.pptx": slidesFile(), "tides.xlsx": workbookFile(), "keeper.epub": bookFile(),
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Parse(t.Context(), Input{Name: name, Body: zipped(parts)})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("title: %s\nauthor: %s\npublished: %s\nmodified: %s\npages: %v\nwarnings: %s\n\n%s",
				doc.Title, strings.Join(doc.Author, ", "), doc.Published, doc.Modified, doc.PageBreaks, strings.Join(doc.Warnings, "; "), doc.Markdown())
			file := filepath.Join("testdata", "office", name+".md")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOfficeRefuses(t *testing.T) {
	locked := bookFile()
	locked["META-INF/encryption.xml"] = `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/two.xhtml"/></CipherData></EncryptedData></encryption>`
	tests := []struct {
		name string
		body []byte
		want string
	}{
		{"bomb.docx", zipped(wordFile(wordParagraph("", strings.Repeat("0", 70<<20)))), "unpacks to more than 128 MB"},
		{"laughs.docx", zipped(laughing(wordFile(wordParagraph("", "ha")))), "declares entities"},
		{"deep.docx", zipped(wordFile(strings.Repeat("<w:x>", 300))), "nests more than 200 deep"},
		{"locked.epub", zipped(locked), "the book is encrypted"},
		{"any.zip", zipped(map[string]string{"a.txt": "text"}), "application/zip"},
		{"cut.docx", zipped(wordFile(wordBody))[:900], "damaged zip archive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(t.Context(), Input{Name: tt.name, Body: tt.body})
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzOffice puts bytes where each format has its text.
func FuzzOffice(f *testing.F) {
	f.Add([]byte(wordBody))
	f.Add([]byte(slidesFile()["ppt/slides/slide1.xml"]))
	f.Add([]byte(workbookFile()["xl/worksheets/sheet1.xml"]))
	f.Add([]byte(workbookFile()["xl/styles.xml"]))
	f.Add([]byte(bookFile()["OEBPS/book.opf"]))
	f.Add([]byte(bookFile()["OEBPS/one .xhtml"]))
	f.Fuzz(func(t *testing.T, part []byte) {
		word, slides, sheets, styles, book, chapter := wordFile(string(part)), slidesFile(), workbookFile(), workbookFile(), bookFile(), bookFile()
		numbers := wordFile(wordBody)
		slides["ppt/slides/slide1.xml"] = string(part)
		sheets["xl/worksheets/sheet1.xml"] = string(part)
		styles["xl/styles.xml"] = string(part)
		book["OEBPS/book.opf"] = string(part)
		chapter["OEBPS/two.xhtml"] = string(part)
		numbers["word/numbering.xml"] = string(part)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for _, body := range [][]byte{zipped(word), zipped(slides), zipped(sheets), zipped(styles), zipped(book), zipped(chapter), zipped(numbers), part} {
			if doc, err := Parse(ctx, Input{Name: "f", Body: body}); err == nil {
				checkSpans(t, doc)
			}
		}
		if ctx.Err() != nil {
			t.Error("it took more than 5 s")
		}
	})
}

// laughing is a file whose text declares entities.
func laughing(files map[string]string) map[string]string {
	const part = "word/document.xml"
	files[part] = `<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>` + files[part]
	return files
}
