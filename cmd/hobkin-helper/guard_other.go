//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

// keepGuard is not needed where the system releases the keys of a process that
// ends.
func keepGuard(context.Context, uint32, io.Writer) error {
	return errors.New("--guard is for X11")
}
