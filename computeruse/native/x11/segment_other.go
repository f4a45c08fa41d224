//go:build !linux

package x11

import "github.com/jezek/xgb/shm"

// A segment would be memory that we share with the server.
type segment struct {
	usable bool
	id     shm.Seg
	data   []byte
}

func (*segment) ready(*conn, int) bool { return false }

func (*segment) free(*conn) {}
