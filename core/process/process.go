// Package process runs other programs so that they can always be ended.
//
// A command runs in a process group of its own, without input and without our
// open files. When it ends, or is told to, everything that it started is ended
// too: its group, and by a mark in the environment also what has left the
// group. If this program itself is killed, a guard process does the same (see
// guard.go), so that no command outlives the agent.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Command says what to run.
type Command struct {
	Args []string // program and arguments; the program is looked up on PATH
	Dir  string   // working folder, absolute
	Env  []string // the whole environment; nil is an empty one
	Mark string   // value of [MarkName] in the environment; unique to this command

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
	Duration time.Duration
	Stdout   *Kept
	Stderr   *Kept
}

// A Process is a running command.
type Process struct {
	cmd    Command
	exec   *exec.Cmd
	kept   map[Stream]*Kept
	outMu  sync.Mutex // keeps calls of Output apart
	start  time.Time
	kill   chan struct{}
	once   sync.Once
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
		return nil, ErrNoProgram
	}
	if c.Keep <= 0 {
		c.Keep = DefaultKeep
	}
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	p := &Process{
		cmd: c, start: time.Now(), kill: make(chan struct{}), done: make(chan struct{}),
		kept: map[Stream]*Kept{Stdout: newKept(c.Keep), Stderr: newKept(c.Keep)},
	}
	started := make(chan error, 1)
	go p.live(ctx, started) // ends with the command; Wait waits for it
	return p, <-started
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

// live starts the command and sees it to its end. It stays on one thread: on
// Linux the child is told when the thread that made it is gone.
func (p *Process) live(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var readers sync.WaitGroup
	pipes, err := p.begin(&readers)
	started <- err
	if err != nil {
		close(p.done)
		return
	}
	exited := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { p.watch(ctx, exited) })

	waitErr := p.exec.Wait()
	close(exited)
	watcher.Wait()
	for _, r := range pipes {
		_ = r.SetReadDeadline(time.Now().Add(drainTime))
	}
	readers.Wait()
	endTree(p.exec.Process.Pid, p.cmd.Mark, p.cmd.Grace)
	guardForget(p.exec.Process.Pid, p.cmd.Mark)
	for _, r := range pipes {
		_ = r.Close()
	}
	p.finish(waitErr)
	close(p.done)
}

// begin makes the pipes and starts the child and the readers.
func (p *Process) begin(readers *sync.WaitGroup) (pipes []*os.File, err error) {
	cmd := exec.Command(p.cmd.Args[0], p.cmd.Args[1:]...) //nolint:noctx // watch ends it, with all that it started
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	if p.cmd.Mark != "" {
		cmd.Env = append(slices.Clip(cmd.Env), MarkName+"="+p.cmd.Mark)
	}
	setGroup(cmd)
	p.exec = cmd
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
	cmd.Stdout, cmd.Stderr = ends[0], ends[1]
	if err := guardMark(p.cmd.Mark); err != nil {
		return pipes, err
	}
	if err := cmd.Start(); err != nil {
		guardForget(0, p.cmd.Mark)
		return pipes, fmt.Errorf("process: %w", err)
	}
	guardGroup(cmd.Process.Pid)
	readers.Go(func() { p.read(Stdout, pipes[0]) })
	readers.Go(func() { p.read(Stderr, pipes[1]) })
	return pipes, nil
}

// read takes in a stream until it ends or its deadline passes.
func (p *Process) read(s Stream, r *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			p.kept[s].write(buf[:n])
			if p.cmd.Output != nil {
				p.outMu.Lock()
				p.cmd.Output(s, buf[:n])
				p.outMu.Unlock()
			}
		}
		if err != nil {
			return
		}
	}
}

// watch stops the command when it is told to.
func (p *Process) watch(ctx context.Context, exited <-chan struct{}) {
	select {
	case <-exited:
		return
	case <-ctx.Done():
	case <-p.kill:
	}
	p.result.Stopped = true
	polite(p.exec.Process.Pid)
	timer := time.NewTimer(p.cmd.Grace)
	defer timer.Stop()
	select {
	case <-exited:
	case <-timer.C:
		forceful(p.exec.Process.Pid)
	}
}

func (p *Process) finish(err error) {
	p.result.Duration = time.Since(p.start)
	p.result.Stdout, p.result.Stderr = p.kept[Stdout], p.kept[Stderr]
	p.result.ExitCode = p.exec.ProcessState.ExitCode()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		p.result.Signal = signalName(exit.ProcessState)
	}
}
