// Package crash keeps what a program that dies of a fault of its own has to
// say: in the state folder, for the owner alone, without secrets.
//
// A panic on the main goroutine is caught by [Guard], which writes the report
// itself. Any other is written by the runtime, which knows nothing of secrets,
// into a file that ends in .raw; the next start makes a report of that, see
// [Reports.Tidy]. Turns and tools do not die: they catch their own panics.
package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/version"
)

// Reports are the crash reports of one program.
type Reports struct {
	Dir     string              // state folder, absolute
	Program string              // hobkin, hobkin-desktop
	Hide    func(string) string // secrets
}

const (
	prefix   = "crash-"
	raw      = ".raw"
	kept     = 10      // reports; older ones go
	mostRead = 1 << 20 // bytes of one; stacks of thousands of goroutines are cut
)

// Watch lets the runtime write into a file of this process when it dies. Stop
// ends that at a clean end and leaves no file.
func (r Reports) Watch() (stop func(), err error) {
	path := r.path(time.Now(), raw)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("crash: %w", err)
	}
	err = errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close()) // the runtime has a handle of its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("crash: %w", err), os.Remove(path))
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // the program ends: there is no one to tell
		_ = os.Remove(path)
	}, nil
}

func (r Reports) path(at time.Time, end string) string {
	return filepath.Join(r.Dir, fmt.Sprintf("%s%s-%d%s", prefix, at.UTC().Format("20060102-150405"), os.Getpid(), end))
}

// Guard is deferred by main functions: it makes a report of a panic and gives
// end a sentence for the person. It does nothing when there is no panic.
func (r Reports) Guard(end func(sentence string)) {
	p := recover()
	if p == nil {
		return
	}
	_ = os.MkdirAll(r.Dir, 0o700) // writing says what is wrong
	path := r.path(time.Now(), ".txt")
	sentence := "Hobkin met a fault of its own and ended. A report is in " + path + "."
	text := fmt.Sprintf("panic: %v\n\n%s", p, debug.Stack())
	if err := os.WriteFile(path, []byte(r.report(text)), 0o600); err != nil {
		sentence = r.Hide(fmt.Sprintf("Hobkin met a fault of its own and ended; the report could not be written (%v): %v", err, p))
	}
	end(sentence)
}

// report is a text for the file.
func (r Reports) report(text string) string {
	return fmt.Sprintf(`%s %s, %s, %s/%s

This program met a fault of its own and ended. Nothing that was stored is lost;
a turn that ran is marked as interrupted. If it happens again, please report it
with this file: secrets that Hobkin knows, and what looks like one, are hidden
in it, but read it before you send it. It can be deleted.

%s`, r.Program, version.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, r.Hide(text))
}

// Waiting reports whether a program died since the last Tidy.
func (r Reports) Waiting() bool {
	list, err := filepath.Glob(filepath.Join(r.Dir, prefix+"*"+raw))
	return err == nil && slices.ContainsFunc(list, func(path string) bool { return !running(path) })
}

// Tidy makes reports of what programs that died have left, and keeps the
// newest few. It returns the paths of the new ones.
func (r Reports) Tidy() (fresh []string, err error) {
	list, err := filepath.Glob(filepath.Join(r.Dir, prefix+"*"+raw))
	if err != nil {
		return nil, fmt.Errorf("crash: %w", err)
	}
	for _, path := range list {
		if running(path) {
			continue
		}
		made, oneErr := r.finish(path)
		err = errors.Join(err, oneErr)
		if made != "" {
			fresh = append(fresh, made)
		}
	}
	done, _ := filepath.Glob(filepath.Join(r.Dir, prefix+"*.txt")) // the pattern is right
	slices.Sort(done)                                              // by time
	for _, path := range done[:max(0, len(done)-kept)] {
		err = errors.Join(err, os.Remove(path))
	}
	return fresh, err
}

// finish makes a report of one file of the runtime's; an empty one is of a
// program that was killed.
func (r Reports) finish(path string) (made string, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil // another program was faster
	case err != nil:
		return "", fmt.Errorf("crash: %w", err)
	case len(text) == 0:
		return "", ignoreMissing(os.Remove(path))
	}
	made = strings.TrimSuffix(path, raw) + ".txt"
	if err := os.WriteFile(made, []byte(r.report(string(text[:min(len(text), mostRead)]))), 0o600); err != nil {
		return "", fmt.Errorf("crash: %w", err)
	}
	return made, ignoreMissing(os.Remove(path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// running reports whether the process that a file belongs to goes on.
func running(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), raw)
	pid, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	return err == nil && (pid == os.Getpid() || alive(pid))
}
