package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFolderIsFound(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"tides.html": "<html><head><title>On  tides</title><script>var sea</script></head><body><nav>sea</nav><p>The moon pulls the sea. It rises twice a day.</p></body></html>",
		"winds.html": "<title>On winds</title><p>The sun heats the air.</p>",
		"notes.txt":  "tides",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := newIndex()
	if err := x.addFolder("http://127.0.0.1:1", folder); err != nil {
		t.Fatal(err)
	}
	tides := []hit{{"On tides", "http://127.0.0.1:1/tides.html", "The moon pulls the sea. It rises twice a day."}}
	for _, c := range []struct {
		query   string
		byTitle bool
		want    []hit
	}{{"moon", false, tides}, {"moon", true, []hit{}}, {"tides", true, tides}, {"nothing", false, []hit{}}} {
		if diff := cmp.Diff(c.want, x.find(c.query, c.byTitle, 10)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
	answer := httptest.NewRecorder()
	x.ServeHTTP(answer, httptest.NewRequest("GET", "/?q=sea&p=2", nil))
	if got := strings.TrimSpace(answer.Body.String()); got != `{"results":[]}` {
		t.Errorf("the second page is %s", got)
	}
}

func TestSitesMustBeThere(t *testing.T) {
	for _, site := range []string{"http://127.0.0.1:1", "http://127.0.0.1:1=/nowhere"} {
		if err := run(t.Context(), "127.0.0.1:0", []string{site}); err == nil {
			t.Errorf("%s: no error", site)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte("<title>a</title><script>b</script>c"))
	f.Fuzz(func(t *testing.T, document []byte) {
		if _, body := readable(document); len(body) > longestText+len(document) {
			t.Errorf("%d bytes of %d", len(body), len(document))
		}
	})
}
