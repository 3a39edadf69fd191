package pdfium

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestModule holds the embedded module to the one that was looked at: pdfium.wasm
// of go-pdfium v1.21.4, whose sum is
// e6f77e01dce34de05ad62515114152da580b64c23871e3e3e2afef3f7bb88ade, without what is
// never called.
func TestModule(t *testing.T) {
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	code, err := z.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(code)
	if got, want := hex.EncodeToString(sum[:]), "fdea8a31e800a7ddac13cd27d7c32b800876f10a0029a7303a5c11e42ea4e556"; got != want {
		t.Errorf("the module has the sum %s, want %s", got, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("loading the module takes seconds")
	}
	e, err := Load(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, body := range []string{"", "%PDF-1.7\n", "%PDF-1.7\n" + strings.Repeat("1 0 obj<<>>endobj ", 1000), "text"} {
		if _, err := e.Open([]byte(body)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.20q: %v, want ErrDamaged", body, err)
		}
	}
}
