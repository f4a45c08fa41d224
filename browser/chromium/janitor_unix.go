//go:build unix

package chromium

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A janitor outlives a kill of this program and removes the temporary profile
// that this leaves. It is a shell script that waits for the end of its input: a
// shell takes a megabyte, and is there when this program's own file has been
// replaced.
type janitor struct {
	in  *os.File
	cmd *exec.Cmd
}

// janitorScript is told the process group of the browser, if it comes so far. A
// browser that does not end by itself when its agent is gone is ended.
const janitorScript = `trap '' HUP INT QUIT TERM
group=
while read -r line; do group=$line; done
try=0
while [ -n "$group" ] && [ $try -lt 20 ] && kill -s 0 -- "-$group" 2>/dev/null; do
  try=$((try + 1))
  sleep 0.05
  [ $try -lt 10 ] || kill -s KILL -- "-$group" 2>/dev/null
done
try=0
while [ $try -lt 20 ]; do
  rm -rf -- "$1" && [ ! -e "$1" ] && exit 0
  try=$((try + 1))
  sleep 0.1
done
`

func startJanitor(dir string) (*janitor, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("janitor: %w", err)
	}
	defer func() { _ = r.Close() }()                                                   // the janitor has its own
	cmd := exec.Command("/bin/sh", "-c", janitorScript, "hobkin-browser-janitor", dir) //nolint:noctx // it must outlive every context of ours
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("janitor: %w", err)
	}
	return &janitor{w, cmd}, nil
}

// watch tells the janitor of the browser.
func (j *janitor) watch(pid int) { _, _ = j.in.WriteString(strconv.Itoa(pid) + "\n") } // without one the profile is found at the next start

func (j *janitor) close() error {
	_ = j.in.Close()
	return j.cmd.Wait()
}
