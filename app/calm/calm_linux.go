package calm

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// forgetProgram lets the system take back the pages of this program's file that
// only the start needed. They are clean and stay in the page cache: what is used
// again is mapped again, without a read from the disk.
func forgetProgram() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	for sc := bufio.NewScanner(maps); sc.Scan(); {
		// from-to perms offset dev inode path, see proc_pid_maps(5)
		f := strings.Fields(sc.Text())
		if len(f) < 6 || f[5] != self || f[1] != "r--p" && f[1] != "r-xp" {
			continue
		}
		from, to, ok := strings.Cut(f[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if !ok || err1 != nil || err2 != nil {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED) // a hint: nothing depends on it
	}
}
