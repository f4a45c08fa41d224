package process

import (
	"bytes"
	"os"
	"strconv"
)

// What /proc tells of processes.

// proc is one process.
type proc struct {
	parent, group, session int

	start uint64 // in clock ticks since the system came up
	dead  bool   // a zombie
}

// processes lists all that can be seen.
func processes() map[int]proc {
	out := map[int]proc{}
	for _, pid := range pids() {
		if p, ok := look(pid); ok {
			out[pid] = p
		}
	}
	return out
}

func pids() (list []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }() // only read
	names, _ := dir.Readdirnames(-1)   // what was read before an error counts
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// look reads one process.
func look(pid int) (proc, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	return parseStat(raw)
}

// parseStat reads a stat line. The name in it stands in brackets and may hold
// anything, brackets too.
func parseStat(raw []byte) (p proc, ok bool) {
	const stateAt, parentAt, groupAt, sessionAt, startAt = 0, 1, 2, 3, 19
	f := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(f) <= startAt || len(f[stateAt]) != 1 {
		return proc{}, false
	}
	var errs [4]error
	p.parent, errs[0] = strconv.Atoi(string(f[parentAt]))
	p.session, errs[1] = strconv.Atoi(string(f[sessionAt]))
	p.group, errs[3] = strconv.Atoi(string(f[groupAt]))
	p.start, errs[2] = strconv.ParseUint(string(f[startAt]), 10, 64)
	p.dead = bytes.ContainsAny(f[stateAt], "ZX")
	if errs != [4]error{} {
		return proc{}, false
	}
	return p, true
}

// lives reports whether a group has a member that is not dead: one that the
// system has not taken in yet does not count.
func lives(group int) bool {
	for _, pid := range pids() {
		if p, ok := look(pid); ok && p.group == group && !p.dead {
			return true
		}
	}
	return false
}

// carries reports whether a process was started with the mark.
func carries(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+MarkName+"="+mark+"\x00"))
}

// Marked lists the processes that carry the mark and live, this one not.
func Marked(mark string) (list []int) {
	for _, pid := range pids() {
		if pid != os.Getpid() && carries(pid, mark) {
			list = append(list, pid)
		}
	}
	return list
}

// InSession lists the processes of a session that live: a command and what it
// started without leaving it. The session has the number of the command.
func InSession(pid int) (list []int) {
	for id, p := range processes() {
		if p.session == pid && !p.dead {
			list = append(list, id)
		}
	}
	return list
}
