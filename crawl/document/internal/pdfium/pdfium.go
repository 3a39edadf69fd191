// Package pdfium gives the characters of PDF pages with their places, by PDFium,
// the reader of Chromium, compiled to WebAssembly and run by wazero.
//
// Begin with [Load], then [Engine.Open]. The module reaches no file, clock or
// network: all that it is given is the bytes of one file and at most maxMemory.
// Loading compiles 4.6 MB of code, which takes seconds of two processors and 200
// ms from a folder where it was done before. Nothing here judges the layout.
//
// The module is the one of github.com/klippa-app/go-pdfium (MIT; PDFium is under
// the Apache License 2.0), whose Go part is left out for its size. scripts/pdfium.sh
// fetches and packs it without the functions that this file does not name: run it
// when another one is called.
package pdfium

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:embed pdfium.wasm.zst
var packed []byte

// maxMemory is what the module may use, in WebAssembly pages of 64 KiB: 384 MiB.
const maxMemory = 6144

// Errors of [Engine.Open].
var (
	ErrPassword = errors.New("the PDF is protected by a password")
	ErrDamaged  = errors.New("the PDF is damaged")
	ErrMemory   = errors.New("the PDF needs too much memory")
)

// Engine is a loaded module. It is used by one goroutine and reads one file at a
// time.
type Engine struct {
	ctx     context.Context //nolint:containedctx // calls into the module take one and have no other
	runtime wazero.Runtime
	module  api.Module
	calls   map[string]api.Function
	buffer  uint32 // bufferSize bytes of the module's memory for results
	stack   [8]uint64
}

const bufferSize = 64 << 10

// Load compiles the module, or takes it from the folder, where it is then kept.
// An empty folder keeps nothing. Close it.
func Load(ctx context.Context, folder string) (*Engine, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("unpacking PDFium: %w", err)
	}
	defer z.Close()
	code, err := z.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking PDFium: %w", err)
	}
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).WithMemoryLimitPages(maxMemory)
	if folder != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(folder); err == nil { // without one it is slower, no worse
			config = config.WithCompilationCache(cache)
		}
	}
	e := &Engine{ctx: ctx, runtime: wazero.NewRuntimeWithConfig(ctx, config), calls: map[string]api.Function{}}
	if err := e.start(code); err != nil {
		return nil, errors.Join(fmt.Errorf("loading PDFium: %w", err), e.Close())
	}
	return e, nil
}

func (e *Engine) start(code []byte) error {
	compiled, err := e.runtime.CompileModule(experimental.WithCompilationWorkers(e.ctx, 2), code)
	if err != nil {
		return err
	}
	if _, err := wasi_snapshot_preview1.Instantiate(e.ctx, e.runtime); err != nil {
		return err
	}
	if err := e.callbacks(compiled); err != nil {
		return err
	}
	if e.module, err = e.runtime.InstantiateModule(e.ctx, compiled, wazero.NewModuleConfig().WithStartFunctions("_initialize").WithName("")); err != nil {
		return err
	}
	if _, err := e.call("FPDF_InitLibrary"); err != nil {
		return err
	}
	e.buffer, err = e.allocate(bufferSize)
	return err
}

// callbacks gives the module what it could call back for forms, downloads and
// saving. We use none of these, so nothing happens there.
func (e *Engine) callbacks(compiled wazero.CompiledModule) error {
	host := e.runtime.NewHostModuleBuilder("env")
	for _, f := range compiled.ImportedFunctions() {
		module, name, imported := f.Import()
		if !imported || module != "env" {
			continue
		}
		nothing := api.GoFunc(func(_ context.Context, stack []uint64) { clear(stack) })
		host.NewFunctionBuilder().WithGoFunction(nothing, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := host.Instantiate(e.ctx)
	return err
}

// Close frees everything.
func (e *Engine) Close() error { return e.runtime.Close(e.ctx) }

// call calls an exported function that gives one number or nothing.
func (e *Engine) call(name string, args ...uint64) (uint64, error) {
	f := e.calls[name]
	if f == nil {
		if f = e.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("PDFium has no %s", name)
		}
		e.calls[name] = f
	}
	copy(e.stack[:], args)
	if err := f.CallWithStack(e.ctx, e.stack[:]); err != nil {
		return 0, fmt.Errorf("%w: %s stopped", ErrDamaged, name)
	}
	return e.stack[0], nil
}

func (e *Engine) allocate(n int) (uint32, error) {
	at, err := e.call("malloc", uint64(n))
	if err == nil && at == 0 {
		err = ErrMemory
	}
	return uint32(at), err
}

// File is an open PDF.
type File struct {
	e      *Engine
	handle uint64
	Pages  int
}

// Open opens a PDF. Errors match one of those above.
func (e *Engine) Open(body []byte) (*File, error) {
	at, err := e.allocate(len(body))
	if err != nil {
		return nil, fmt.Errorf("%w", ErrMemory)
	}
	if !e.module.Memory().Write(at, body) {
		return nil, ErrMemory
	}
	f := &File{e: e}
	if f.handle, err = e.call("FPDF_LoadMemDocument", uint64(at), uint64(len(body)), 0); err != nil {
		return nil, err
	}
	if f.handle == 0 {
		return nil, e.lastError()
	}
	n, err := e.call("FPDF_GetPageCount", f.handle)
	f.Pages = int(int32(n))
	return f, err
}

// lastError says why a file did not open (fpdfview.h, FPDF_ERR_PASSWORD and
// FPDF_ERR_SECURITY).
func (e *Engine) lastError() error {
	code, err := e.call("FPDF_GetLastError")
	switch {
	case err != nil:
		return err
	case code == 4 || code == 5:
		return ErrPassword
	}
	return ErrDamaged
}

// Meta is an entry of the document information, such as Title; "" without one.
func (f *File) Meta(key string) string {
	name := f.e.buffer + bufferSize - 64
	if len(key) > 60 || !f.e.module.Memory().WriteString(name, key+"\x00") {
		return ""
	}
	return f.e.utf16("FPDF_GetMetaText", bufferSize-64, f.handle, uint64(name))
}

// utf16 calls a function that writes UTF-16 into a buffer.
func (e *Engine) utf16(name string, size int, args ...uint64) string {
	n, err := e.call(name, append(args, uint64(e.buffer), uint64(size))...)
	if err != nil || n < 2 || n > uint64(size) {
		return ""
	}
	b, _ := e.module.Memory().Read(e.buffer, uint32(n)-2)
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// Entry is one of the outline that readers show beside a document.
type Entry struct {
	Title string
	Level int // from 1
	Page  int // from 1; 0 when it leads nowhere
}

// Bounds of an outline: files may link its entries in circles.
const (
	maxEntries = 20_000
	maxLevel   = 12
)

// Outline lists the outline in order.
func (f *File) Outline() []Entry {
	var out []Entry
	var visit func(parent uint64, level int)
	visit = func(parent uint64, level int) {
		mark, err := f.e.call("FPDFBookmark_GetFirstChild", f.handle, parent)
		for err == nil && mark != 0 && len(out) < maxEntries && level <= maxLevel {
			title := f.e.utf16("FPDFBookmark_GetTitle", bufferSize, mark)
			out = append(out, Entry{Title: title, Level: level, Page: f.page(mark)})
			visit(mark, level+1)
			mark, err = f.e.call("FPDFBookmark_GetNextSibling", f.handle, mark)
		}
	}
	visit(0, 1)
	return out
}

// page is where an entry leads.
func (f *File) page(mark uint64) int {
	dest, err := f.e.call("FPDFBookmark_GetDest", f.handle, mark)
	if err == nil && dest == 0 {
		var action uint64
		if action, err = f.e.call("FPDFBookmark_GetAction", mark); err == nil && action != 0 {
			dest, err = f.e.call("FPDFAction_GetDest", f.handle, action)
		}
	}
	if err != nil || dest == 0 {
		return 0
	}
	n, err := f.e.call("FPDFDest_GetDestPageIndex", f.handle, dest)
	if page := int(int32(n)) + 1; err == nil && page > 0 {
		return page
	}
	return 0
}

// Char is a character of a page, in the order of the page's own program.
type Char struct {
	Rune                     rune
	Left, Bottom, Right, Top float32 // of its cell in its font, in points from the lower left; only of the first and last of a word
}

// MaxChars bounds the characters of one page.
const MaxChars = 200_000

// Page is the characters of a page. Spaces and line ends (\r\n) that only the
// layout shows are among them, without a place.
type Page struct {
	Chars []Char
	Fonts map[int]string // the font from the character at an index on, for the first of each line
}

// Page reads page n, counted from 0. A page that cannot be read is an error and
// leaves the others readable.
func (f *File) Page(n int) (Page, error) {
	e := f.e
	page, err := e.call("FPDF_LoadPage", f.handle, uint64(n))
	if err != nil {
		return Page{}, err
	}
	if page == 0 {
		return Page{}, ErrDamaged
	}
	text, err := e.call("FPDFText_LoadPage", page)
	if err != nil {
		return Page{}, err
	}
	var out Page
	if text != 0 {
		out, err = e.chars(text)
		if _, closing := e.call("FPDFText_ClosePage", text); err == nil {
			err = closing
		}
	}
	if _, closing := e.call("FPDF_ClosePage", page); err == nil {
		err = closing
	}
	return out, err
}

func (e *Engine) chars(text uint64) (Page, error) {
	n, err := e.call("FPDFText_CountChars", text)
	if err != nil {
		return Page{}, err
	}
	p := Page{Chars: make([]Char, min(max(int(int32(n)), 0), MaxChars)), Fonts: map[int]string{}}
	for i := range p.Chars {
		r, err := e.call("FPDFText_GetUnicode", text, uint64(i))
		if err != nil {
			return p, err
		}
		p.Chars[i].Rune = rune(uint32(r))
	}
	// The ends of words are enough to see the layout, and asking is what costs.
	for i := range p.Chars {
		if blank(p.Chars, i) || !blank(p.Chars, i-1) && !blank(p.Chars, i+1) {
			continue
		}
		if err := e.box(text, i, &p.Chars[i]); err != nil {
			return p, err
		}
		if i == 0 || p.Chars[i-1].Rune == '\n' || p.Chars[i-1].Rune == Hyphen {
			p.Fonts[i] = e.font(text, i)
		}
	}
	return p, nil
}

// Hyphen stands for a hyphen at the end of a line that parts a word.
const Hyphen = '\x02'

// blank reports what stands beside words.
func blank(chars []Char, i int) bool {
	if i < 0 || i >= len(chars) {
		return true
	}
	switch chars[i].Rune {
	case ' ', '\r', '\n', Hyphen:
		return true
	}
	return false
}

// box sets the place of a character.
func (e *Engine) box(text uint64, i int, c *Char) error {
	ok, err := e.call("FPDFText_GetLooseCharBox", text, uint64(i), uint64(e.buffer))
	if err != nil || uint32(ok) == 0 {
		return err
	}
	b, _ := e.module.Memory().Read(e.buffer, 16) // FS_RECTF: left, top, right, bottom
	at := func(k int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:])) }
	c.Left, c.Top, c.Right, c.Bottom = at(0), at(1), at(2), at(3)
	return nil
}

// font is the name of a character's font.
func (e *Engine) font(text uint64, i int) string {
	const size = 256
	n, err := e.call("FPDFText_GetFontInfo", text, uint64(i), uint64(e.buffer), size, uint64(e.buffer+size))
	if err != nil || n < 2 || n > size {
		return ""
	}
	b, _ := e.module.Memory().Read(e.buffer, uint32(n)-1)
	return string(b)
}
