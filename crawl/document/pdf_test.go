package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/sandbox"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary be the child that reads PDF files.
func TestMain(m *testing.M) {
	jobs := map[string]sandbox.Job{}
	if job, folder := sandbox.Asked(); job == JobPDF {
		jobs[job] = PDFJob(folder)
	}
	if sandbox.Child(jobs) {
		return
	}
	os.Exit(m.Run())
}

// compiled is a folder that outlives the test: compiling takes seconds.
func compiled(t testing.TB) *PDF {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts children")
	}
	folder := os.TempDir() + "/deepresearch-test-compiled"
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return NewPDF(&sandbox.Runner{Folder: folder})
}

// A set is text at a place of a page, in a font: F1 regular, F2 bold, F3 of one
// width.
type set struct {
	font string
	size int
	x, y int
	text string
}

// pdfFile writes a PDF; extra is added to the trailer.
func pdfFile(extra string, pages ...[]set) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 7+2*i)
	}
	object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), kids))
	for _, font := range []string{"Helvetica", "Helvetica-Bold", "Courier"} {
		object("<</Type/Font/Subtype/Type1/BaseFont/" + font + "/Encoding/WinAnsiEncoding>>")
	}
	object("<</Title(Tide gauges)/Author(Ada Quay)/CreationDate(D:20230405120000Z)>>")
	for i, p := range pages {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>/Contents %d 0 R>>", 8+2*i))
		var s strings.Builder
		for _, t := range p {
			fmt.Fprintf(&s, "BT /%s %d Tf %d %d Td (%s) Tj ET\n", t.font, t.size, t.x, t.y, strings.NewReplacer("(", `\(`, ")", `\)`).Replace(t.text))
		}
		object(fmt.Sprintf("<</Length %d>>stream\n%sendstream", s.Len(), s.String()))
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R/Info 6 0 R%s>>\nstartxref\n%d\n%%%%EOF", len(offsets)+1, extra, at)
	return b.Bytes()
}

// column sets lines one below another.
func column(x, y int, lines ...string) []set {
	var out []set
	for _, l := range lines {
		out = append(out, set{"F1", 10, x, y, l})
		y -= 12
	}
	return out
}

func tidePages() [][]set {
	margin := func(n int, body ...[]set) []set {
		p := []set{{"F1", 8, 72, 810, "Tide gauges of the north"}}
		for _, b := range body {
			p = append(p, b...)
		}
		return append(p, set{"F1", 8, 290, 30, fmt.Sprint(n)})
	}
	return [][]set{
		margin(1, []set{{"F2", 18, 72, 760, "Tide gauges"}}, column(72, 720,
			"A tide gauge records the height of the water over time. It needs a fixed",
			"point on land, because the gauge itself sinks with its pier. The oldest series that is un-",
			"broken began in 1700."),
			[]set{{"F2", 14, 72, 660, "Stations"}},
			[]set{{"F1", 10, 72, 630, "Port"}, {"F1", 10, 200, 630, "Since"}, {"F1", 10, 300, 630, "Range"}},
			[]set{{"F1", 10, 72, 616, "North Quay"}, {"F1", 10, 200, 616, "1874"}, {"F1", 10, 300, 616, "3.2 m"}},
			[]set{{"F1", 10, 72, 602, "Mill Lock"}, {"F1", 10, 200, 602, "1902"}, {"F1", 10, 300, 602, "2.7 m"}},
			column(72, 560, "The range at North Quay has grown since the channel was deepened, and the")),
		margin(2, column(72, 760, "pilots asked for a second gauge."),
			[]set{{"F2", 14, 72, 720, "Upkeep"}},
			[]set{{"F1", 10, 72, 690, "1. Clean the float."}, {"F1", 10, 72, 676, "2. Check the clock."}},
			[]set{{"F3", 10, 72, 640, "gauge --read"}, {"F3", 10, 84, 628, "--every 10m"}}),
		margin(3, column(72, 760, "The left column speaks of storms. It is", "short and ends here."), column(320, 760, "The right column speaks of ice. It is", "short too.")),
	}
}

func TestPDF(t *testing.T) {
	doc, err := Parse(t.Context(), Input{Name: "gauges.pdf", PDF: compiled(t), Body: pdfFile("", tidePages()...)})
	if err != nil {
		t.Fatal(err)
	}
	checkSpans(t, doc)
	got := fmt.Sprintf("title: %s\nauthor: %s\npublished: %s\nwarnings: %v\n\n%s", doc.Title, doc.Author, doc.Published, doc.Warnings, doc.Markdown())
	golden(t, "testdata/pdf/gauges.md", got)
	for text, page := range map[string]int{"A tide gauge": 1, "channel was": 1, "pilots asked": 2, "gauge --read": 2, "speaks of ice": 3} {
		if at := strings.Index(doc.Text, text); doc.PageAt(at) != page {
			t.Errorf("%q stands on page %d, want %d", text, doc.PageAt(at), page)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
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
}

func TestPDFRefuses(t *testing.T) {
	reader := compiled(t)
	locked := pdfFile("/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<"+strings.Repeat("41", 32)+">/U<"+strings.Repeat("42", 32)+">>>", tidePages()...)
	whole := pdfFile("", tidePages()...)
	tests := []struct {
		name string
		body []byte
		want string
	}{
		{"locked", locked, "protected by a password"},
		{"pictures", pdfFile("", nil, nil), "text recognition"},
		{"damaged", []byte("%PDF-1.7\nnothing that follows"), "the PDF is damaged"},
		{"bomb", bytes.Replace(whole, []byte("/Count 3"), []byte("/Count 2000000000"), 1), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(t.Context(), Input{Body: tt.body, PDF: reader})
			if tt.want != "" && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Parse(t.Context(), Input{Body: whole}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "application/pdf") {
		t.Errorf("without a reader: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := Parse(ctx, Input{Body: whole, PDF: reader}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the end of the context: %v", err)
	}
}
