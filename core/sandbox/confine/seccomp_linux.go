package confine

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What the filter answers, see seccomp(2).
const (
	retAllow  = uint32(unix.SECCOMP_RET_ALLOW)
	retNotify = uint32(unix.SECCOMP_RET_USER_NOTIF)
)

func retErrno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16 // six of eight bytes, the low half first on all that we build for
)

// A test is on the low half of an argument: the kernel itself looks at no more
// of those that are tested here, and what a program puts into the high half
// must not get it past the filter.
type test struct {
	arg  int
	mask uint32 // 0 means all bits
	cond bpf.JumpTest
	val  uint32
}

// A rule answers a system call for which all tests hold.
type rule struct {
	name  string
	ret   uint32
	tests []test
}

// assemble makes the program: calls of another ABI than the native one do not
// exist, then the rules, the first that holds; all else is allowed.
func assemble(rules []rule) ([]bpf.RawInstruction, error) {
	native, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("confine: %w", err)
	}
	noSuchCall := bpf.RetConstant{Val: retErrno(unix.ENOSYS)}
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(native.ID), SkipTrue: 1},
		noSuchCall,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	if runtime.GOARCH == "amd64" { // x32 has the same ID and a bit in the number
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: uint32(arch.X32.SeccompMask), SkipFalse: 1}, noSuchCall)
	}
	for _, r := range rules {
		nr, ok := number(native, r.name)
		if !ok {
			continue // this architecture has no such call
		}
		body := r.body()
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: nr, SkipTrue: uint8(len(body))}) //nolint:gosec // a handful
		prog = append(prog, body...)
	}
	prog = append(prog, bpf.RetConstant{Val: retAllow})
	return bpf.Assemble(prog)
}

// body tests the arguments and answers; it is entered with the number loaded,
// and left with it.
func (r rule) body() (out []bpf.Instruction) {
	if len(r.tests) == 0 {
		return []bpf.Instruction{bpf.RetConstant{Val: r.ret}}
	}
	const each = 3
	for i, t := range r.tests {
		mask := t.mask
		if mask == 0 {
			mask = math.MaxUint32
		}
		left := (len(r.tests)-1-i)*each + 1 // to the answer's end
		out = append(out,
			bpf.LoadAbsolute{Off: uint32(offArgs + 8*t.arg), Size: 4}, //nolint:gosec // 0 to 5
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask},
			bpf.JumpIf{Cond: t.cond, Val: t.val, SkipFalse: uint8(left)}, //nolint:gosec // a handful
		)
	}
	return append(out, bpf.RetConstant{Val: r.ret}, bpf.LoadAbsolute{Off: offNumber, Size: 4})
}

// newest are calls that the table does not know yet; they have the same number
// on every architecture.
var newest = map[string]uint32{
	"fchmodat2": 452, "statmount": 457, "listmount": 458,
	"setxattrat": 463, "getxattrat": 464, "listxattrat": 465, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}

func number(native *arch.Info, name string) (uint32, bool) {
	if nr, ok := native.SyscallNames[name]; ok {
		return uint32(nr), true //nolint:gosec // a small number
	}
	nr, ok := newest[name]
	return nr, ok
}

// installFilter puts a filter on this thread, which has no new privileges. With
// listen it returns a descriptor of the calls that are to be decided by us.
func installFilter(filter []bpf.RawInstruction, listen bool) (fd int, err error) {
	insns := make([]unix.SockFilter, len(filter))
	for i, f := range filter {
		insns[i] = unix.SockFilter{Code: f.Op, Jt: f.Jt, Jf: f.Jf, K: f.K}
	}
	prog := unix.SockFprog{Len: uint16(len(insns)), Filter: &insns[0]} //nolint:gosec // a few hundred
	flags := uintptr(0)
	if listen {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	r, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return -1, fmt.Errorf("confine: system call filter: %w", errno)
	}
	return int(r), nil
}

// rawFilter is a filter as bubblewrap reads it: struct sock_filter, one after
// another.
func rawFilter(filter []bpf.RawInstruction) []byte {
	out := make([]byte, 0, 8*len(filter))
	for _, f := range filter {
		out = append(out, byte(f.Op), byte(f.Op>>8), f.Jt, f.Jf, byte(f.K), byte(f.K>>8), byte(f.K>>16), byte(f.K>>24))
	}
	return out
}

// callName is the name of a native system call; empty when it is not known.
func callName(nr int32) string {
	native, err := arch.GetInfo("")
	if err != nil {
		return ""
	}
	for name, n := range newest {
		if int32(n) == nr { //nolint:gosec // a small number
			return name
		}
	}
	return native.SyscallNumbers[int(nr)]
}
