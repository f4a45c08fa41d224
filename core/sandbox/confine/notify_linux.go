package confine

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock does not look at calls that change the mode, owner or times of a
// file. Where it is alone, the kernel asks us for each: a keeper opens what the
// call is about, looks where that really lies, and makes the change itself when
// the command may write there. It acts on the file that it has open and on a
// copy of the arguments, so nothing can be swapped in between.

// metadata are the calls that a keeper decides.
var metadata = []string{"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat"}

// notification and response are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type response struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

// The requests, see seccomp_unotify(2).
const (
	notifReceive = 0xc0502100
	notifSend    = 0xc0182101
)

// A keeper answers the calls of one command.
type keeper struct {
	file *os.File
	plan *Plan
	done chan struct{}
}

// keep starts a keeper on the descriptor of a filter. It ends with close.
func keep(fd int, plan *Plan) (*keeper, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	k := &keeper{file: os.NewFile(uintptr(fd), "seccomp"), plan: plan, done: make(chan struct{})}
	go k.answer()
	return k, nil
}

// close ends the keeper. Calls that still wait are refused by the kernel.
func (k *keeper) close() {
	_ = k.file.Close()
	<-k.done
}

func (k *keeper) answer() {
	defer close(k.done)
	raw, err := k.file.SyscallConn()
	if err != nil {
		return
	}
	for {
		var n notification
		var errno unix.Errno
		err := raw.Read(func(fd uintptr) bool {
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
			if got, err := unix.Poll(ready, 0); got == 0 && err == nil {
				return false
			}
			if ready[0].Revents&unix.POLLIN == 0 {
				errno = unix.EPIPE // no process is left
				return true
			}
			n = notification{}
			_, _, errno = unix.Syscall(unix.SYS_IOCTL, fd, notifReceive, uintptr(unsafe.Pointer(&n)))
			return true
		})
		switch {
		case err != nil || errno == unix.EPIPE:
			return
		case errno != 0:
			continue // the process that called is gone
		}
		r := response{id: n.id}
		if e := k.decide(&n); e != 0 {
			r.error = -int32(e) //nolint:gosec // a small number
		}
		_ = raw.Control(func(fd uintptr) {
			_, _, _ = unix.Syscall(unix.SYS_IOCTL, fd, notifSend, uintptr(unsafe.Pointer(&r))) // gone, when it fails
		})
		runtime.KeepAlive(&r)
	}
}

// A change is one call made plain.
type change struct {
	dir   int32  // descriptor that the path starts at, or the target itself
	path  uint64 // address; 0 when dir is the target
	flags int
	apply func(target string, fd int, st *unix.Stat_t) error
}

// decide carries out a call, or refuses it.
func (k *keeper) decide(n *notification) unix.Errno {
	m, err := openMemory(n.pid)
	if err != nil {
		return unix.EPERM
	}
	defer m.close()
	c, ok := m.change(n)
	if !ok {
		return unix.EFAULT
	}
	fd, err := m.open(c)
	if err != nil {
		return errnoOf(err)
	}
	defer func() { _ = unix.Close(fd) }()
	target := "/proc/self/fd/" + strconv.Itoa(fd)
	where, err := os.Readlink(target)
	if err != nil {
		return unix.EACCES
	}
	if g, ok := k.plan.Explain(where); !ok || !g.Write {
		return unix.EACCES
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return errnoOf(err)
	}
	if int(st.Uid) != os.Geteuid() { // we may be root, the command has no such rights
		return unix.EPERM
	}
	return errnoOf(c.apply(target, fd, &st))
}

func errnoOf(err error) unix.Errno {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[unix.Errno](err); ok {
		return e
	}
	return unix.EPERM
}

// change reads the arguments of a call.
func (m *memory) change(n *notification) (c change, ok bool) {
	a := n.args
	at := int32(unix.AT_FDCWD)
	fd := func(i int) int32 { return int32(uint32(a[i])) } //nolint:gosec // the low half is the argument
	low := func(i int) int { return int(fd(i)) }
	switch callName(n.nr) {
	case "chmod":
		return change{at, a[0], 0, chmod(a[1])}, true
	case "fchmod":
		return change{fd(0), 0, 0, chmod(a[1])}, true
	case "fchmodat":
		return change{fd(0), a[1], 0, chmod(a[2])}, true
	case "fchmodat2":
		return change{fd(0), a[1], low(3), chmod(a[2])}, true
	case "chown":
		return change{at, a[0], 0, chown(a[1], a[2])}, true
	case "lchown":
		return change{at, a[0], unix.AT_SYMLINK_NOFOLLOW, chown(a[1], a[2])}, true
	case "fchown":
		return change{fd(0), 0, 0, chown(a[1], a[2])}, true
	case "fchownat":
		return change{fd(0), a[1], low(4), chown(a[2], a[3])}, true
	case "utime":
		c.apply, ok = m.times(a[1], 8, 0)
		return change{at, a[0], 0, c.apply}, ok
	case "utimes":
		c.apply, ok = m.times(a[1], 16, 1000)
		return change{at, a[0], 0, c.apply}, ok
	case "futimesat":
		c.apply, ok = m.times(a[2], 16, 1000)
		return change{fd(0), a[1], 0, c.apply}, ok
	case "utimensat":
		c.apply, ok = m.times(a[2], 16, 1)
		return change{fd(0), a[1], low(3), c.apply}, ok
	}
	return c, false
}

func chmod(mode uint64) func(string, int, *unix.Stat_t) error {
	return func(target string, _ int, _ *unix.Stat_t) error {
		return unix.Fchmodat(unix.AT_FDCWD, target, uint32(mode)&0o1777, 0) //nolint:gosec // the low half is the argument
	}
}

// chown lets a file be given to whom its owner may give it: another of his groups.
func chown(user, group uint64) func(string, int, *unix.Stat_t) error {
	uid, gid := int32(uint32(user)), int32(uint32(group)) //nolint:gosec // the low half is the argument
	return func(_ string, fd int, st *unix.Stat_t) error {
		groups, err := os.Getgroups()
		if err != nil {
			return err
		}
		groups = append(groups, os.Getegid(), int(st.Gid), -1)
		if uid != -1 && uint32(uid) != st.Uid || !slices.Contains(groups, int(gid)) { //nolint:gosec // compared as bits
			return unix.EPERM
		}
		return unix.Fchownat(fd, "", int(uid), int(gid), unix.AT_EMPTY_PATH)
	}
}

// times reads two times: size bytes each, the second half in units of so many
// nanoseconds. No address means now.
func (m *memory) times(addr uint64, size int, unit int64) (apply func(string, int, *unix.Stat_t) error, ok bool) {
	ts := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	if addr != 0 {
		buf := make([]byte, 2*size)
		if !m.read(addr, buf) {
			return nil, false
		}
		for i := range ts {
			one := buf[i*size:]
			ts[i] = unix.Timespec{Sec: word(one)}
			if unit > 0 {
				ts[i].Nsec = word(one[8:])
			}
			if unit > 1 {
				ts[i].Nsec *= unit
			}
		}
	}
	return func(target string, _ int, _ *unix.Stat_t) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, target, ts, 0)
	}, true
}

func word(b []byte) int64 { return *(*int64)(unsafe.Pointer(&b[0])) }

// A memory is that of the process that called.
type memory struct {
	proc string // its folder in /proc
	fd   int
}

func openMemory(pid uint32) (*memory, error) {
	proc := "/proc/" + strconv.FormatUint(uint64(pid), 10)
	fd, err := unix.Open(proc+"/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return &memory{proc, fd}, err
}

func (m *memory) close() { _ = unix.Close(m.fd) }

func (m *memory) read(addr uint64, buf []byte) bool {
	n, err := unix.Pread(m.fd, buf, int64(addr)) //nolint:gosec // an address of user space
	return err == nil && n == len(buf)
}

// text reads a path.
func (m *memory) text(addr uint64) (string, error) {
	const page = 4096
	var out []byte
	for len(out) < unix.PathMax {
		buf := make([]byte, page-addr%page)          // what follows may not be there
		n, err := unix.Pread(m.fd, buf, int64(addr)) //nolint:gosec // an address of user space
		if err != nil || n <= 0 {
			return "", unix.EFAULT
		}
		if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
			return string(append(out, buf[:end]...)), nil
		}
		out, addr = append(out, buf[:n]...), addr+uint64(n)
	}
	return "", unix.ENAMETOOLONG
}

// open opens what a change is about, as the process would, but to look at only.
func (m *memory) open(c change) (int, error) {
	const look = unix.O_PATH | unix.O_CLOEXEC
	of := m.proc + "/fd/" + strconv.Itoa(int(c.dir))
	if c.dir == unix.AT_FDCWD {
		of = m.proc + "/cwd"
	}
	if c.path == 0 {
		return unix.Open(of, look, 0)
	}
	path, err := m.text(c.path)
	if err != nil {
		return -1, err
	}
	if path == "" {
		if c.flags&unix.AT_EMPTY_PATH == 0 {
			return -1, unix.ENOENT
		}
		return unix.Open(of, look, 0)
	}
	how := look
	if c.flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how |= unix.O_NOFOLLOW
	}
	if strings.HasPrefix(path, "/") {
		return unix.Open(m.theirs(path), how, 0)
	}
	dir, err := unix.Open(of, look|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(dir) }()
	return unix.Openat(dir, path, how, 0)
}

// theirs is a path as the process means it: its own files, not ours.
func (m *memory) theirs(path string) string {
	for _, own := range [][2]string{{"/proc/self/", m.proc + "/"}, {"/proc/thread-self/", m.proc + "/"}, {"/dev/fd/", m.proc + "/fd/"}} {
		if rest, ok := strings.CutPrefix(path, own[0]); ok {
			return own[1] + rest
		}
	}
	return path
}
