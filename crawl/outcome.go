package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"deepresearch/crawl/document"
	"deepresearch/internal/guard"
)

// Outcome says how reading a page went.
type Outcome string

// The outcomes. Every one but OK comes with a hint.
const (
	OK             Outcome = "ok"
	Partial        Outcome = "partial"       // text, but not all of it
	Blocked        Outcome = "blocked"       // 401, 403, 429, 451, or a challenge of any status
	Paywall        Outcome = "paywall"       // 402, or a recognised paywall
	JSRequired     Outcome = "js_required"   // the text is written by scripts
	DeniedByRobots Outcome = "robots_denied" // by robots.txt
	Refused        Outcome = "refused"       // by our own guard
	TooLarge       Outcome = "too_large"     // a file that is useless in part
	Unsupported    Outcome = "unsupported"   // bytes that we cannot read
	NotFound       Outcome = "not_found"     // 404, 410
	Timeout        Outcome = "timeout"
	Failed         Outcome = "error" // anything else, an empty page among it
)

// hints say what to do, for each outcome but OK.
var hints = map[Outcome]string{
	Partial:        "only the beginning was read; cite what is there, or open the page for the rest",
	Blocked:        "the site turns automated readers away; open it in a browser, or look for the same content at another address",
	Paywall:        "the text is for subscribers; look for an open version, a preprint or another report",
	JSRequired:     "the page writes its text with scripts, which are not run here; look for a plain, print, API or feed version",
	DeniedByRobots: "the site asks programs not to fetch this page; open it yourself, or use another source",
	Refused:        "only public http and https addresses are fetched, and servers of your own whose host:port is in DEEPRESEARCH_ALLOW_HOSTS",
	TooLarge:       "the file exceeds the size limit; download it and pass the file itself, or look for a shorter version",
	Unsupported:    "this format cannot be read; look for an HTML, PDF or text version",
	NotFound:       "there is no page at this address; check it, or search for the title",
	Timeout:        "the site did not answer in time; try once more with a longer timeout_s, or use another source",
	Failed:         "the page could not be read; try again later, or use another source",
}

// hintOffline takes the place of the hint for Refused.
const hintOffline = "pages are not fetched offline; run again without --offline, or use documents of your own"

// hintLogin is the hint for an address with a user name or password in it.
const hintLogin = "the address holds a user name or password, and neither is ever sent: leave them out; pages behind a login cannot be read"

// verdict is an outcome with the fact behind it.
type verdict struct {
	outcome Outcome
	fact    string // for the hint, may be empty
}

// hint is the advice with the fact behind it, one sentence.
func (v verdict) hint() string {
	advice := hints[v.outcome]
	if v.fact == "" || v.fact == hintOffline || v.fact == hintLogin || advice == "" {
		return cmp.Or(v.fact, advice)
	}
	return advice + " (" + v.fact + ")"
}

// ofError judges a fetch that brought no answer.
func ofError(err error) verdict {
	var refused *guard.Refused
	var denied *RobotsDenied
	var later *Later
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, errLogin):
		return verdict{Refused, hintLogin}
	case errors.As(err, &refused) && refused.Offline:
		return verdict{Refused, hintOffline}
	case errors.As(err, &refused):
		return verdict{Refused, refused.Error()}
	case errors.As(err, &denied):
		return verdict{DeniedByRobots, denied.Reason}
	case errors.As(err, &later):
		return verdict{Blocked, later.Error()}
	case errors.As(err, &dns) && dns.IsNotFound:
		return verdict{Failed, "there is no host " + dns.Name}
	case errors.Is(err, context.Canceled):
		return verdict{Failed, "the call was cancelled"}
	case isContext(err) || errors.As(err, &timeout) && timeout.Timeout():
		return verdict{Timeout, ""}
	case errors.Is(err, errEncoding):
		return verdict{Unsupported, err.Error()}
	}
	return verdict{Failed, err.Error()}
}

// ofStatus judges by the status alone. OK means: look at the body.
func ofStatus(status int) verdict {
	fact := fmt.Sprintf("HTTP %d %s", status, http.StatusText(status))
	switch {
	case status >= 200 && status < 300:
		return verdict{OK, ""}
	case status == http.StatusPaymentRequired:
		return verdict{Paywall, fact}
	case status == http.StatusNotFound || status == http.StatusGone:
		return verdict{NotFound, fact}
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests, status == http.StatusUnavailableForLegalReasons:
		return verdict{Blocked, fact}
	}
	return verdict{Failed, fact}
}

// judge looks at an answer and what was read from it. doc is nil when
// parseErr is not.
func judge(f Fetched, body []byte, doc *document.Document, parseErr error) verdict {
	length := textLength(doc)
	byStatus := ofStatus(f.Status)
	marks := look(f, body, length)
	switch {
	case marks.challenge:
		return verdict{Blocked, fmt.Sprintf("the site answered with a challenge (HTTP %d)", f.Status)}
	case marks.paywall && (byStatus.outcome == OK || byStatus.outcome == Blocked):
		return verdict{Paywall, "the page says that its text is not free"}
	case byStatus.outcome != OK:
		return byStatus
	case f.Truncated && (doc == nil || errors.Is(parseErr, document.ErrUnsupported)):
		return verdict{TooLarge, f.Cut}
	case errors.Is(parseErr, document.ErrUnsupported):
		return verdict{Unsupported, parseErr.Error()}
	case marks.shell:
		return verdict{JSRequired, ""}
	case len(body) == 0:
		return verdict{Failed, fmt.Sprintf("HTTP %d without a body", f.Status)}
	case errors.Is(parseErr, document.ErrEmpty) || parseErr == nil && length == 0:
		return verdict{Failed, fmt.Sprintf("HTTP %d without readable text", f.Status)}
	case parseErr != nil:
		return ofError(parseErr)
	case f.Truncated:
		return verdict{Partial, f.Cut}
	case doc.Incomplete != "":
		return verdict{Partial, doc.Incomplete}
	}
	return verdict{OK, ""}
}
