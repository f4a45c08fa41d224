//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
)

// guardScript is a guard. It is a shell script, because a shell starts in a
// millisecond, takes a megabyte, and is there when this program's own file has
// been replaced. Marks hold a letter, process groups do not.
const guardScript = `trap '' HUP INT QUIT TERM
live=' '
while read -r op what; do
  case $op in
  +) live="$live$what " ;;
  -) case $live in *" $what "*) live="${live%%" $what "*} ${live#*" $what "}" ;; esac ;;
  esac
done
for try in 1 2 3; do
  for what in $live; do
    case $what in
    *[!0-9]*)
      for file in $(grep -ls "` + MarkName + `=$what" /proc/[0-9]*/environ); do
        pid=${file#/proc/}
        kill -s KILL "${pid%/environ}"
      done ;;
    *) kill -s KILL -- "-$what" ;;
    esac
  done
done 2>/dev/null
`

// startGuard starts a guard and returns its input.
func startGuard() (guardInput, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	defer func() { _ = r.Close() }()                  // the guard has its own
	cmd := exec.Command("/bin/sh", "-c", guardScript) //nolint:noctx // it must outlive every context of ours
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	cmd.Stdin = r
	setGroup(cmd)
	noDeathSignal(cmd)
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	return &script{w, cmd}, nil
}

// A script is a guard that runs. No goroutine waits for it: it ends after us.
type script struct {
	*os.File
	cmd *exec.Cmd
}

// Close lets go of a guard and takes it in. It ends at the end of its input,
// if it has not been ended before.
func (s *script) Close() error {
	_ = s.File.Close()
	return s.cmd.Wait()
}
