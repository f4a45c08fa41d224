// Package process runs other programs so that they can always be ended.
//
// A command runs in a process group and session of its own, without input and
// without our open files. When it ends, or is told to, everything that it
// started is ended too: its group, and on Linux also what has left the group,
// found by a mark in the environment, by the session and by its parents; on
// Windows all that is in its job object. If this program itself is killed, the
// kernel ends the command and a guard what it started (see guard.go), so that
// no command outlives the agent.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Command says what to run.
type Command struct {
	Args []string // program and arguments; the program is looked up on PATH
	Dir  string   // working folder, absolute
	Env  []string // the whole environment; nil is an empty one
	Mark string   // value of [MarkName] in the environment: letters, digits, - and _, unique to this command

	// Input is what it reads; nil is nothing. It stays the caller's to close.
	Input *os.File
	// Files are further open files for it: numbered from 3 on, on Windows handles
	// that keep their numbers. They stay the caller's to close.
	Files []*os.File
	// Terminal gives it a terminal, and Input is not used; nil gives none.
	Terminal *Terminal

	// Brief is for a command that is known to end soon and to start nothing that
	// stays, such as git: nothing beyond its group is looked for. Mark is not used.
	Brief bool
	// Leave lets what the command started go on after it has ended by itself. A
	// command with a namespace of its own leaves nothing.
	Leave bool
	// Confine is what the kernel holds the command to; nil is nothing.
	Confine Confinement

	// Output is told what the command prints, as it comes. Calls do not overlap.
	// The bytes are only valid during the call. May be nil.
	Output func(s Stream, chunk []byte)
	// Keep is how many bytes of each stream are kept; 0 means [DefaultKeep].
	Keep int
	// Grace is the time from the polite signal to the kill; 0 means 2 s.
	Grace time.Duration
}

// MarkName is the environment variable by which a command's processes are known.
const MarkName = "HOBKIN_CALL"

// A Stream is where a command prints.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

const (
	// DefaultKeep is how many bytes of a stream are kept.
	DefaultKeep = 1 << 20

	defaultGrace = 2 * time.Second
	// drainTime is how long after the end of the direct child its output is
	// still waited for: what it wrote is in the pipe already, and a grandchild
	// may hold that open for ever.
	drainTime = 100 * time.Millisecond
)

// A Result is what became of a command.
type Result struct {
	ExitCode int    // -1 when a signal ended it
	Signal   string // name of that signal
	Stopped  bool   // it was ended by us: the context or [Process.Kill]
	Left     bool   // something that it had started still ran at its end
	Duration time.Duration
	Stdout   *Kept
	Stderr   *Kept
}

// A Process is a running command.
type Process struct {
	cmd  Command
	exec *exec.Cmd
	tree *tree

	terminal *terminal // nil without one

	kept   map[Stream]*Kept
	outMu  sync.Mutex // keeps calls of Output apart
	start  time.Time
	kill   chan struct{}
	once   sync.Once
	exited chan struct{} // closed when the child has ended
	gone   chan struct{} // closed when the child has ended and been taken in
	done   chan struct{}
	result Result
}

// ErrNoProgram is returned for an empty command.
var ErrNoProgram = errors.New("process: no program is named")

// Run runs a command to its end. A command that fails or is stopped is no
// error: the result tells. An error means that it could not be started.
func Run(ctx context.Context, c Command) (Result, error) {
	p, err := Start(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return p.Wait(), nil
}

// Start starts a command, which is stopped when ctx ends.
func Start(ctx context.Context, c Command) (*Process, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		c.release()
		return nil, ErrNoProgram
	}
	if err := ctx.Err(); err != nil {
		c.release()
		return nil, err
	}
	c.Keep = cmp.Or(max(c.Keep, 0), DefaultKeep)
	c.Grace = cmp.Or(max(c.Grace, 0), defaultGrace)
	c.Mark = safeMark(c)
	p := &Process{
		cmd: c, start: time.Now(), kill: make(chan struct{}), exited: make(chan struct{}), gone: make(chan struct{}), done: make(chan struct{}),
		kept: map[Stream]*Kept{Stdout: NewKept(c.Keep), Stderr: NewKept(c.Keep)},
	}
	started := make(chan error, 1)
	go p.live(ctx, started) // ends with the command; Wait waits for it
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// safeMark is the mark of c in letters, digits, - and _, and never a number.
func safeMark(c Command) string {
	if c.Brief || c.Mark == "" {
		return ""
	}
	return "m" + strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, c.Mark)
}

// Wait waits for the end and returns the result.
func (p *Process) Wait() Result {
	<-p.done
	return p.result
}

// Done is closed when the command has ended and the result is there.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill stops the command and all that it started. It does not wait.
func (p *Process) Kill() { p.once.Do(func() { close(p.kill) }) }

// Kept returns what a stream printed so far.
func (p *Process) Kept(s Stream) *Kept { return p.kept[s] }

// PID is the process id of the direct child.
func (p *Process) PID() int { return p.exec.Process.Pid }

// Mark is the value of [MarkName] that the command's processes carry; empty
// when there is none.
func (p *Process) Mark() string { return p.cmd.Mark }

// live starts the command and sees it to its end. It stays on one thread: on
// Linux the child is killed when the thread that made it is gone.
func (p *Process) live(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer theGuard.drop(p.cmd.Mark)
	defer close(p.gone)
	var readers sync.WaitGroup
	pipes, err := p.begin(&readers)
	if err != nil {
		p.cmd.release()
	}
	started <- err
	if err != nil {
		return
	}
	var watcher sync.WaitGroup
	watcher.Go(func() { p.watch(ctx) })

	waitErr := p.exec.Wait()
	p.result.Duration = time.Since(p.start)
	close(p.exited)
	watcher.Wait()
	var held error // a pipe may have no deadline, on Windows
	for _, r := range pipes {
		held = r.SetReadDeadline(time.Now().Add(drainTime))
	}
	leave := p.cmd.Leave && !p.result.Stopped
	if leave {
		p.tree.leave()
	} else {
		p.result.Left = p.tree.end(p.cmd.Grace)
		if p.cmd.inner() {
			p.result.Left = p.cmd.Confine.Left()
		}
	}
	p.tree.close()
	theGuard.drop(strconv.Itoa(p.exec.Process.Pid))
	ended := func() {
		if p.terminal != nil {
			p.terminal.finish()
		}
		readers.Wait() // they end by themselves, unless a grandchild holds the pipe
		for _, r := range pipes {
			_ = r.Close()
		}
	}
	if leave && held != nil {
		go ended() // ends with what was left
	} else {
		ended()
	}
	p.finish(waitErr)
	p.cmd.release()
	close(p.done)
}

// begin makes the child and starts it, with what it prints to and the readers of
// that.
func (p *Process) begin(readers *sync.WaitGroup) (outputs []*os.File, err error) {
	cmd := exec.Command(p.cmd.Args[0], p.cmd.Args[1:]...) //nolint:noctx // watch ends it, with all that it started
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	if p.cmd.Mark != "" {
		cmd.Env = append(slices.Clip(cmd.Env), MarkName+"="+p.cmd.Mark)
	}
	setGroup(cmd)
	if err := passFiles(cmd, p.cmd.Files); err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	p.exec = cmd
	if p.cmd.Terminal != nil {
		return p.onTerminal(readers)
	}
	if p.cmd.Input != nil { // a nil *os.File is no nil io.Reader
		cmd.Stdin = p.cmd.Input
	}
	return p.onPipes(readers)
}

// onPipes starts the child with a pipe for each stream.
func (p *Process) onPipes(readers *sync.WaitGroup) (pipes []*os.File, err error) {
	var ends []*os.File
	defer func() {
		for _, w := range ends {
			_ = w.Close()
		}
		if err != nil {
			for _, r := range pipes {
				_ = r.Close()
			}
		}
	}()
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			return pipes, fmt.Errorf("process: %w", err)
		}
		pipes, ends = append(pipes, r), append(ends, w)
	}
	p.exec.Stdout, p.exec.Stderr = ends[0], ends[1]
	if err := p.spawn(); err != nil {
		return pipes, err
	}
	readers.Go(func() { p.read(Stdout, pipes[0]) })
	readers.Go(func() { p.read(Stderr, pipes[1]) })
	return pipes, nil
}

// spawn starts the child, known to the guard.
func (p *Process) spawn() error {
	if err := theGuard.add(p.cmd.Mark); err != nil {
		return err
	}
	err := p.launch()
	if err != nil {
		return fmt.Errorf("process: %w", err)
	}
	if !p.cmd.Brief {
		err = theGuard.add(strconv.Itoa(p.exec.Process.Pid))
	}
	if err == nil {
		p.tree, err = rooted(p.exec, &p.cmd)
	}
	if err != nil {
		_ = p.exec.Process.Kill()
		_ = p.exec.Wait()
		theGuard.drop(strconv.Itoa(p.exec.Process.Pid))
	}
	return err
}

// watch stops the command when it is told to.
func (p *Process) watch(ctx context.Context) {
	select {
	case <-p.exited:
		return
	case <-ctx.Done():
	case <-p.kill:
	}
	p.result.Stopped = true
	p.tree.polite()
	timer := time.NewTimer(p.cmd.Grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.tree.forceful()
	}
}

func (p *Process) finish(err error) {
	p.result.Stdout, p.result.Stderr = p.kept[Stdout], p.kept[Stderr]
	p.result.ExitCode = p.exec.ProcessState.ExitCode()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		p.result.Signal = signalName(exit.ProcessState)
	}
}
