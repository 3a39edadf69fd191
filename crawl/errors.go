package crawl

import (
	"context"
	"errors"
	"fmt"
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

var (
	errPanicked = errors.New("reading the page failed inside this program")
	errEncoding = errors.New("unknown content encoding")
)

// isContext reports whether err is an ended context, not the network's doing.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
