package process

import "golang.org/x/sys/unix"

// firstThread reports whether this is the thread that the program began with.
func firstThread() bool { return unix.Gettid() == unix.Getpid() }
