package safe

import "testing"

// FuzzPlainName: a name that is taken for plain is one that IDNA leaves alone.
func FuzzPlainName(f *testing.F) {
	for _, name := range []string{"example.org", "a-b.c", "xn--a.b", "-a.b", "a-.b", "a..b", "a.", "1.2.3.4", "a--b.c", "münchen.de", "A.b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if ascii, err := names.ToASCII(name); plainName(name) && (err != nil || ascii != name) {
			t.Errorf("%q becomes %q, %v", name, ascii, err)
		}
	})
}
