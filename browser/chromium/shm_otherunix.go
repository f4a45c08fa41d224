//go:build unix && !linux

package chromium

// smallSharedMemory: other systems do not bound it in a folder.
func smallSharedMemory() bool { return false }
