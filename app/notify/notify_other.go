//go:build !linux && !freebsd && !openbsd && !netbsd

package notify

import "context"

// Open returns [ErrUnavailable]: notifications with buttons are not built for
// this system yet, and one without a button would promise what it cannot do.
func Open(context.Context) (Server, error) { return nil, ErrUnavailable }
