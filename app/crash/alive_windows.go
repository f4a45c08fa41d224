package crash

import "golang.org/x/sys/windows"

// alive reports whether a process runs, as far as can be told.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }() // only looked at
	const running = 259
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == running
}
