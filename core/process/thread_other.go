//go:build !linux

package process

// firstThread does not matter where no thread is restricted.
func firstThread() bool { return false }
