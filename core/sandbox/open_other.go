//go:build !linux

package sandbox

import "os"

// openPlain opens a folder of which no part is a link.
func openPlain(dir string) (*os.Root, error) { return openChain(dir) }
