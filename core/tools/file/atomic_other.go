//go:build !linux

package file

import (
	"context"
	"os"
)

func (r *replacement) place(ctx context.Context, _ *os.File) error { return r.named(ctx) }
