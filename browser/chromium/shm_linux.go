package chromium

import "golang.org/x/sys/unix"

// leastShared is what pages with pictures and video need of /dev/shm.
const leastShared = 512 << 20

// smallSharedMemory reports whether /dev/shm is too small for a browser, or
// missing.
func smallSharedMemory() bool {
	var st unix.Statfs_t
	err := unix.Statfs("/dev/shm", &st)
	return err != nil || st.Blocks*uint64(st.Bsize) < leastShared
}
