package outbound

import "golang.org/x/sys/windows"

// lives reports whether a process is left; its job object ends those it started.
func lives(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // an identifier of the system's
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }() // it was only looked at
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event != windows.WAIT_OBJECT_0
}
