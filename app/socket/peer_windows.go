package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hobkin/hobkin/core/control"
)

// identify tells which process is at the other end; the folder of the socket
// keeps other users out. A process below us that is no window of ours was
// started by the agent. Where the system does not tell, as before Windows 10
// 1809, the other end counts as a person's, and the command line alone refuses.
func (s *Server) identify(conn net.Conn) (control.Peer, error) {
	pid, err := peerOf(conn)
	if err != nil {
		slog.Warn("socket: the system does not tell who is at the other end", "error", err)
		return control.Peer{}, nil
	}
	if pid == os.Getpid() || s.isWindow(pid) {
		return control.Peer{PID: pid}, nil
	}
	ours, err := StartedByAgent(pid, os.Getpid())
	if err != nil {
		return control.Peer{}, err
	}
	return control.Peer{PID: pid, Agents: ours}, nil
}

// getPeerPID is SIO_AF_UNIX_GETPEERPID of afunix.h.
const getPeerPID = 0x58000100

func peerOf(conn net.Conn) (int, error) {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a unix socket")
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return 0, err
	}
	var pid, n uint32
	var asked error
	err = raw.Control(func(fd uintptr) {
		asked = windows.WSAIoctl(windows.Handle(fd), getPeerPID, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &n, nil, 0)
	})
	if err = errors.Join(err, asked); err != nil {
		return 0, err
	}
	return int(pid), nil
}

// parentOf is the process that started another; 0 when that is gone. A number
// is used again, so one that began later is no parent.
func parentOf(pid int) (int, error) {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(list) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(list, &entry); err == nil; err = windows.Process32Next(list, &entry) {
		if int(entry.ProcessID) != pid {
			continue
		}
		parent := int(entry.ParentProcessID)
		if child, ok := began(pid); ok {
			if at, ok := began(parent); ok && at > child {
				return 0, nil
			}
		}
		return parent, nil
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return 0, nil // it has ended, and with it what could be known above it
	}
	return 0, fmt.Errorf("listing processes: %w", err)
}

// began is when a process was started, in nanoseconds, if it may be asked.
func began(pid int) (int64, bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // as the system numbers them
	if err != nil {
		return 0, false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return created.Nanoseconds(), true
}

// maxEnviron bounds what is read of an environment, in bytes; Windows allows
// 32,767 characters.
const maxEnviron = 1 << 17

// marked reports whether the environment of a process has our mark. It is read
// from the process itself, which may be asked where it is our own user's.
func marked(pid int) bool {
	if pid == 0 {
		return false
	}
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION|windows.PROCESS_VM_READ, false, uint32(pid)) //nolint:gosec // as above
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	// What is read is kept as bytes: pointers of another process are none of ours.
	info := make([]byte, unsafe.Sizeof(windows.PROCESS_BASIC_INFORMATION{}))
	if err := windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&info[0]), uint32(len(info)), nil); err != nil {
		return false
	}
	peb, ok := peek(process, wordAt(info, unsafe.Offsetof(windows.PROCESS_BASIC_INFORMATION{}.PebBaseAddress)), unsafe.Sizeof(windows.PEB{}))
	if !ok {
		return false
	}
	params, ok := peek(process, wordAt(peb, unsafe.Offsetof(windows.PEB{}.ProcessParameters)), unsafe.Sizeof(windows.RTL_USER_PROCESS_PARAMETERS{}))
	if !ok {
		return false
	}
	size := min(wordAt(params, unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.EnvironmentSize)), maxEnviron)
	raw, ok := peek(process, wordAt(params, unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.Environment)), size)
	if !ok {
		return false
	}
	text := make([]uint16, len(raw)/2)
	for i := range text {
		text[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return slices.ContainsFunc(strings.Split(string(utf16.Decode(text)), "\x00"), func(v string) bool {
		return len(v) >= len(mark) && strings.EqualFold(v[:len(mark)], mark)
	})
}

// wordAt is the address or size that stands in a copy of memory.
func wordAt(memory []byte, offset uintptr) uintptr {
	return *(*uintptr)(unsafe.Pointer(&memory[offset]))
}

// peek copies memory of another process.
func peek(process windows.Handle, at, size uintptr) ([]byte, bool) {
	if at == 0 || size == 0 {
		return nil, false
	}
	out := make([]byte, size)
	var n uintptr
	err := windows.ReadProcessMemory(process, at, &out[0], size, &n)
	return out, err == nil && n == size
}
