package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// RobotsDenied is the error for an address that the site's robots.txt keeps
// for people.
type RobotsDenied struct {
	URL    string
	Reason string
}

func (r *RobotsDenied) Error() string {
	return fmt.Sprintf("robots.txt denies %s: %s", r.URL, r.Reason)
}

// Later is the error for a host that has asked for patience (Retry-After)
// beyond the time we have. Nothing was sent.
type Later struct {
	Host  string // host:port
	Until time.Time
}

func (l *Later) Error() string {
	return fmt.Sprintf("%s asked to be left alone until %s", l.Host, l.Until.UTC().Format(time.RFC3339))
}

var (
	errPanicked = errors.New("reading the page failed inside this program")
	errEncoding = errors.New("unknown content encoding")
	errSlow     = fmt.Errorf("the page was fetched, but its text could not be read within %v", parseWithin)
	errLogin    = errors.New("the address holds a user name or password")
)

// isContext reports whether err is an ended context, not the network's doing.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
