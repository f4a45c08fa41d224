//go:build !linux

package calm

// forgetProgram does nothing here: the system does it by itself when it needs
// the memory.
func forgetProgram() {}
