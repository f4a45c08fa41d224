package native

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A connection to the desktop that ends under a request is no fault of the
// helper's.
func TestConnectionThatEnds(t *testing.T) {
	for err, want := range map[error]string{
		io.EOF:                              wire.NoDisplay,
		fmt.Errorf("a picture: %w", io.EOF): wire.NoDisplay,
		net.ErrClosed:                       wire.NoDisplay,
		&net.OpError{Err: syscall.EPIPE}:    wire.NoDisplay,
		errors.New("no such atom"):          wire.Failed,
		&wire.Error{Code: wire.UnknownKey}:  wire.UnknownKey,
	} {
		if got := wireError(t.Context(), err, wire.Capture).Code; got != want {
			t.Errorf("%v is told as %s, want %s", err, got, want)
		}
	}
}
