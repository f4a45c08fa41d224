//go:build darwin || windows

package sandbox

// foldsCase says that the usual file system takes a.txt and A.TXT for one.
const foldsCase = true
