package crawl

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	acceptEncoding = "gzip, br, zstd"
	maxEncodings   = 2
	// maxWindow is the largest zstd window that HTTP allows (RFC 9659).
	maxWindow = 8 << 20
	// slack lets a body that hardly compresses be a little longer packed.
	slack = 64 << 10
)

// readBody reads and unpacks at most limit bytes. cut says in words why the
// body ends early; err is for a body of which nothing could be read.
func readBody(res *http.Response, limit int64) (body []byte, cut string, err error) {
	rd, done, err := unpack(res.Header.Values("Content-Encoding"), io.LimitReader(res.Body, limit+slack))
	if errors.Is(err, io.EOF) {
		return nil, "", nil // packed, and empty
	}
	if err != nil {
		return nil, "", err
	}
	defer done()
	body, err = io.ReadAll(io.LimitReader(rd, limit+1))
	switch {
	case int64(len(body)) > limit:
		return body[:limit], fmt.Sprintf("the page is longer than the limit of %d bytes", limit), nil
	case err == nil:
		return body, "", nil
	case len(body) == 0:
		return nil, "", err
	case isContext(err):
		return body, "the server did not finish in time", nil
	case wasCut(err):
		return body, "the connection ended before the page did", nil
	}
	return body, "the page could not be unpacked to its end", nil
}

// unpack undoes the content codings, the last one first. done frees what the
// decoders hold.
func unpack(headers []string, body io.Reader) (rd io.Reader, done func(), err error) {
	codings := strings.FieldsFunc(strings.ToLower(strings.Join(headers, ",")), func(r rune) bool { return r == ',' || r == ' ' })
	if len(codings) > maxEncodings {
		return nil, nil, fmt.Errorf("%w: %s", errEncoding, strings.Join(codings, ", "))
	}
	rd, done = body, func() {}
	for _, coding := range slices.Backward(codings) {
		switch coding {
		case "identity":
		case "gzip", "x-gzip":
			rd, err = gzip.NewReader(rd)
		case "deflate":
			rd, err = zlib.NewReader(rd)
		case "br":
			rd = brotli.NewReader(rd)
		case "zstd":
			var z *zstd.Decoder
			if z, err = zstd.NewReader(rd, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
				rd, done = z, z.Close
			}
		default:
			return nil, nil, fmt.Errorf("%w: %s", errEncoding, coding)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return rd, done, nil
}

// textual reports whether a media type is text, which is worth reading even
// when it is cut. An unknown type counts as text: the bytes will tell.
func textual(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media == "" {
		return true
	}
	kind, sub, _ := strings.Cut(media, "/")
	return kind == "text" || strings.HasSuffix(sub, "+xml") || strings.HasSuffix(sub, "+json") ||
		strings.Contains("xml json javascript x-javascript ecmascript yaml toml x-ndjson x-httpd-php", sub) && kind == "application"
}
