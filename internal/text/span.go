package text

// Span is a half-open range of byte offsets [Start, End) into a UTF-8 text.
// Both ends lie on rune boundaries of that text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len is the length of the span in bytes.
func (s Span) Len() int { return s.End - s.Start }

// In returns the slice of t that the span covers. It panics when the span
// reaches outside t, as slicing does.
func (s Span) In(t string) string { return t[s.Start:s.End] }

// Shift returns the span moved by n bytes: it turns offsets into a part of a
// text into offsets into the whole.
func (s Span) Shift(n int) Span { return Span{s.Start + n, s.End + n} }

// Contains reports whether o lies wholly within s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Overlaps reports whether s and o share at least one byte.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }
