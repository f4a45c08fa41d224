package confine

import (
	"encoding/binary"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// answer runs a filter on one call. The machine of package bpf reads the big
// end first, so the halves of a call's fields are laid out for that.
func answer(t *testing.T, rules []rule, audit uint32, nr uint32, args ...uint64) uint32 {
	t.Helper()
	raw, err := assemble(rules)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > unix.BPF_MAXINSNS {
		t.Fatalf("%d instructions, the kernel takes %d", len(raw), unix.BPF_MAXINSNS)
	}
	prog, whole := bpf.Disassemble(raw)
	if !whole {
		t.Fatal("the filter has unknown instructions")
	}
	vm, err := bpf.NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offNumber:], nr)
	binary.BigEndian.PutUint32(data[offArch:], audit)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[offArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[offArgs+8*i+4:], uint32(a>>32))
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

func TestFilter(t *testing.T) {
	native, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	both := always()
	alone := append(always(), landlocked(false, false)...)
	const high = 1 << 32
	at := uint64(0xffffff9c) // AT_FDCWD
	perm, none, family := retErrno(unix.EPERM), retErrno(unix.ENOSYS), retErrno(unix.EAFNOSUPPORT)
	for _, tt := range []struct {
		name  string
		call  string
		args  []uint64
		rules []rule
		want  uint32
	}{
		{"an everyday call", "read", []uint64{0, 0, 0}, alone, retAllow},
		{"debugging", "ptrace", []uint64{16, 1}, both, perm},
		{"a process", "clone", []uint64{17}, both, retAllow},
		{"a user namespace", "clone", []uint64{unix.CLONE_NEWUSER | 17}, both, perm},
		{"one with noise in the high half", "clone", []uint64{high | unix.CLONE_NEWNET}, both, perm},
		{"clone3", "clone3", nil, both, none},
		{"a terminal's size", "ioctl", []uint64{0, unix.TIOCGWINSZ}, both, retAllow},
		{"characters for a terminal", "ioctl", []uint64{0, unix.TIOCSTI}, both, perm},
		{"the same with noise", "ioctl", []uint64{0, high | unix.TIOCSTI}, both, perm},
		{"a file with its owner's rights", "chmod", []uint64{0, 0o4755}, both, perm},
		{"an ordinary mode", "chmod", []uint64{0, 0o755}, both, retAllow},
		{"a new file", "openat", []uint64{at, 0, unix.O_CREAT | unix.O_WRONLY, 0o644}, both, retAllow},
		{"a new file with its owner's rights", "openat", []uint64{at, 0, unix.O_CREAT | unix.O_WRONLY, 0o4755}, both, perm},
		{"a mode that does not count", "openat", []uint64{at, 0, unix.O_RDONLY, 0o4755}, both, retAllow},
		{"openat2", "openat2", nil, both, none},
		{"a fifo", "mknodat", []uint64{at, 0, unix.S_IFIFO | 0o600}, both, retAllow},
		{"a disk", "mknodat", []uint64{at, 0, unix.S_IFBLK | 0o600}, both, perm},
		{"TCP", "socket", []uint64{unix.AF_INET, unix.SOCK_STREAM, 0}, both, retAllow},
		{"raw packets", "socket", []uint64{unix.AF_PACKET, unix.SOCK_RAW, 0}, both, family},
		{"the host of a virtual machine", "socket", []uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, both, family},
		{"routes", "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW | unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE}, both, retAllow},
		{"the audit", "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, both, family},
		{"TCP with the network off", "socket", []uint64{unix.AF_INET, unix.SOCK_STREAM, 0}, alone, perm},
		{"a socket of Unix", "socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}, both, retAllow},
		{"that with Landlock alone", "socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}, alone, perm},
		{"a pair for a pipe", "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, alone, retAllow},
		{"a pair of datagrams", "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK, 0}, alone, perm},
		{"a mode with Landlock alone", "fchmodat", []uint64{at, 0, 0o644}, alone, retNotify},
		{"limits of one's own", "prlimit64", []uint64{0, 7}, alone, retAllow},
		{"limits of another", "prlimit64", []uint64{1, 7}, alone, perm},
		{"a signal to the thread that starts", "kill", []uint64{uint64(unix.Gettid()), 9}, alone, perm},
		{"another signal", "kill", []uint64{1, 9}, alone, retAllow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nr, ok := number(native, tt.call)
			if !ok {
				t.Skipf("there is no %s on this architecture", tt.call)
			}
			if got := answer(t, tt.rules, uint32(native.ID), nr, tt.args...); got != tt.want {
				t.Errorf("%s%v is answered with %#x, want %#x", tt.call, tt.args, got, tt.want)
			}
		})
	}
	if got := answer(t, both, uint32(arch.I386.ID), 20); got != none {
		t.Errorf("a call of 32 bits is answered with %#x, want %#x", got, none)
	}
	if native == arch.X86_64 {
		if got := answer(t, both, uint32(native.ID), uint32(arch.X32.SeccompMask)|39); got != none {
			t.Errorf("a call of x32 is answered with %#x, want %#x", got, none)
		}
	}
}

// What is forbidden must have a number, or a misspelt name would forbid nothing.
func TestEveryNameIsKnown(t *testing.T) {
	somewhere := map[string]bool{"clock_settime64": true, "clock_adjtime64": true} // of 32 bits alone
	for _, a := range []*arch.Info{arch.X86_64, arch.AARCH64, arch.I386} {
		for name := range a.SyscallNames {
			somewhere[name] = true
		}
	}
	for name := range newest {
		somewhere[name] = true
	}
	for _, r := range append(always(), landlocked(false, false)...) {
		if !somewhere[r.name] && r.name != "pciconfig_read" && r.name != "pciconfig_write" && r.name != "pciconfig_iobase" {
			t.Errorf("no architecture has a call %s", r.name)
		}
	}
}
