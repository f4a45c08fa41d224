package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// The guard is a process of this same program that outlives a kill of it. It
// reads what runs, a line each, and when its input ends without a word it ends
// all that is left. It is started with the first command.
//
//	+mark  a command with this mark is about to start
//	+pid   …and this is its process group
//	-mark, -pid  it has ended

// GuardArg makes, as the only argument, the program a guard. A main function
// calls [GuardMain] first of all.
const GuardArg = "__guard-children"

// GuardMain runs the guard and returns true when this process was started as
// one; main then returns.
func GuardMain() bool {
	if len(os.Args) != 2 || os.Args[1] != GuardArg {
		return false
	}
	ignoreSignals() // the terminal's interrupt is for the agent
	guardLoop(os.Stdin)
	return true
}

func guardLoop(r io.Reader) {
	groups, marks := map[int]bool{}, map[string]bool{}
	for sc := bufio.NewScanner(r); sc.Scan(); {
		line := sc.Text()
		if len(line) < 2 {
			continue
		}
		on, what := line[0] == '+', line[1:]
		pid, err := strconv.Atoi(what)
		switch {
		case err == nil && on:
			groups[pid] = true
		case err == nil:
			delete(groups, pid)
		case on:
			marks[what] = true
		default:
			delete(marks, what)
		}
	}
	for pid := range groups {
		forceful(pid)
	}
	for mark := range marks {
		endMarked(mark)
	}
}

// guard is the connection to the one guard of this process.
var guard struct {
	sync.Mutex
	in  io.WriteCloser
	err error
}

// guardSay tells the guard one line, starting it when it is not there yet.
func guardSay(line string) error {
	guard.Lock()
	defer guard.Unlock()
	if guard.in == nil && guard.err == nil {
		guard.in, guard.err = startGuard()
	}
	if guard.err != nil {
		return guard.err
	}
	_, err := io.WriteString(guard.in, line+"\n")
	return err
}

func startGuard() (io.WriteCloser, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	cmd := exec.Command(self, GuardArg) //nolint:noctx // it must outlive every context of ours
	cmd.Env = []string{}
	setGroup(cmd)
	noDeathSignal(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	go func() { _ = cmd.Wait() }() // reaps it, should it end before us
	return in, nil
}

// StopGuard ends the guard, for tests that look for what is left.
func StopGuard() {
	guard.Lock()
	defer guard.Unlock()
	if guard.in != nil {
		_ = guard.in.Close()
	}
	guard.in, guard.err = nil, nil
}

// guardMark announces a mark. Without a guard no command is started: it could
// outlive us.
func guardMark(mark string) error {
	if mark == "" {
		return nil
	}
	return guardSay("+" + plain(mark))
}

func guardGroup(pid int) { _ = guardSay("+" + strconv.Itoa(pid)) } // the mark is known already

func guardForget(pid int, mark string) {
	if pid > 0 {
		_ = guardSay("-" + strconv.Itoa(pid))
	}
	if mark != "" {
		_ = guardSay("-" + plain(mark))
	}
}

// plain keeps a mark on one line.
func plain(mark string) string { return strings.NewReplacer("\n", "", "\r", "").Replace(mark) }
