package chromium

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
)

const (
	// MinVersion is the oldest major version that is driven: frames, shadow roots
	// and screenshots behave as we need them from there on.
	MinVersion = 120

	// startTime is how long a browser may take to answer for the first time; on a
	// slow disk the first start of a day takes ten seconds.
	startTime = 30 * time.Second
	// closeTime is how long a browser may take to write its profile down.
	closeTime = 5 * time.Second
	// stderrKeep is how much of what a browser prints is kept.
	stderrKeep = 64 << 10
	// grace is how long a browser that was asked to end by a signal gets.
	grace = 500 * time.Millisecond
)

// A Process is a browser that runs.
type Process struct {
	Conn    *cdp.Conn
	Product string // such as "Chrome/156.0.8078.114"
	Version int    // 156

	opts Options
	proc *process.Process
	once sync.Once
	err  error
}

// Start starts a browser and waits until it answers. It fails with [TooOld],
// [NoSandbox], [NoDisplay], [ProfileLocked] or [StartFailed]. The process lives
// until it is closed, not until ctx ends. The profile stays the caller's.
func Start(ctx context.Context, o Options) (*Process, error) {
	p, err := launch(o) //nolint:contextcheck // the browser outlives this call
	if err != nil {
		return nil, err
	}
	if p.opts.Profile.janitor != nil {
		p.opts.Profile.janitor.watch(p.proc.PID())
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := p.greet(ctx); err != nil {
		return nil, errors.Join(err, p.Kill())
	}
	return p, nil
}

// launch starts the process with its pipe.
func launch(o Options) (_ *Process, err error) {
	theirR, ourW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("chromium: %w", err)
	}
	ourR, theirW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("chromium: %w", err), theirR.Close(), ourW.Close())
	}
	defer func() { _, _ = theirR.Close(), theirW.Close() }() // the browser has its own
	args := append([]string{o.Binary.Path}, pipeFlags(theirR, theirW)...)
	proc, err := process.Start(context.Background(), process.Command{
		Args: append(args, flags(o)...), Dir: o.Profile.Dir(), Env: environment(o), Files: []*os.File{theirR, theirW},
		Mark: "browser-" + rand.Text(), Keep: stderrKeep, Grace: grace,
	})
	if err != nil {
		_, _ = ourR.Close(), ourW.Close()
		return nil, StartFailed.Becausef("%s cannot be started: %v", o.Binary.Path, err)
	}
	return &Process{Conn: cdp.New(cdp.Pipe(ourR, ourW)), opts: o, proc: proc}, nil
}

// environment is what a browser gets: what it needs for its window, its fonts
// and its language, and no keys.
func environment(o Options) []string {
	set := map[string]string{}
	if dir := o.Profile.scratch(); len(dir) < maxSocketDir {
		set["TMPDIR"] = dir
	}
	return sandbox.Env(sandbox.EnvConfig{
		Environ: o.Environ, Set: set,
		Allow: []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "TZ", "LANGUAGE", "FONTCONFIG_*"},
	})
}

// maxSocketDir is how long the folder may be that the browser puts a socket in:
// the system takes paths of 107 bytes, and it adds 46.
const maxSocketDir = 60

// greet asks the browser who it is.
func (p *Process) greet(ctx context.Context) error {
	var v struct {
		Product string `json:"product"`
	}
	if err := p.Conn.Root().Call(ctx, "Browser.getVersion", nil, &v); err != nil {
		return p.whyNot(ctx, err)
	}
	p.Product, p.Version = v.Product, major(v.Product)
	if p.Version > 0 && p.Version < MinVersion {
		return TooOld.Becausef("%s is %s; version %d or newer is needed", p.opts.Binary.Path, p.Product, MinVersion)
	}
	return nil
}

var productVersion = lazy.Regexp(`/(\d{1,6})\.`)

// major is the first number of "Chrome/156.0.8078.114"; 0 when there is none.
func major(product string) int {
	m := productVersion().FindStringSubmatch(product)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}

// whyNot tells from what a browser printed why it did not start.
func (p *Process) whyNot(ctx context.Context, err error) error {
	if errors.Is(err, cdp.ErrClosed) { // it ends, and its last words come
		select {
		case <-p.proc.Done():
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	said := p.Stderr()
	for _, r := range reasons {
		if strings.Contains(said, r.text) {
			return r.err(p.opts)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return StartFailed.Becausef("%s did not answer within %v; it said: %s", p.opts.Binary.Path, startTime, tail(said))
	}
	return StartFailed.Becausef("%s ended while it started; it said: %s", p.opts.Binary.Path, tail(said))
}

// reasons are words of Chromium that tell what is wrong. They are English in
// every language: the log is not translated.
var reasons = []struct {
	text string
	err  func(Options) error
}{
	{"No usable sandbox!", func(o Options) error {
		return NoSandbox.Becausef("the system lets %s make no sandbox for its pages", o.Binary.Path)
	}},
	{"Running as root without --no-sandbox", func(o Options) error {
		return NoSandbox.Becausef("%s runs as root with its sandbox on", o.Binary.Path)
	}},
	{"The profile appears to be in use", inUse},
	{"Opening in existing browser session", inUse},
	{"Missing X server or $DISPLAY", noDisplay},
	{"Unable to open X display", noDisplay},
	{"Failed to connect to Wayland display", noDisplay},
}

func inUse(o Options) error {
	return ProfileLocked.Becausef("another browser uses the profile in %s", o.Profile.Dir())
}

func noDisplay(Options) error {
	return NoDisplay.Becausef("there is no display for a browser with a window")
}

// tail is the end of what a browser said, in one line.
func tail(said string) string {
	const most = 400
	line := strings.Join(strings.Fields(said), " ")
	if line == "" {
		return "nothing"
	}
	if r := []rune(line); len(r) > most {
		return "…" + string(r[len(r)-most:])
	}
	return line
}

// PID is the process id of the browser.
func (p *Process) PID() int { return p.proc.PID() }

// Mark is what all processes of the browser carry, see [process.MarkName].
func (p *Process) Mark() string { return p.proc.Mark() }

// Options are those that the browser was started with.
func (p *Process) Options() Options { return p.opts }

// Stderr is what the browser printed lately.
func (p *Process) Stderr() string {
	return p.proc.Kept(process.Stdout).String() + p.proc.Kept(process.Stderr).String()
}

// Done is closed when the browser has ended.
func (p *Process) Done() <-chan struct{} { return p.proc.Done() }

// Close asks the browser to end, so that it writes its profile down, and ends it
// if it does not within five seconds or until ctx ends. Nothing of it is left.
func (p *Process) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if p.Conn.Root().Call(ctx, "Browser.close", nil, nil) == nil { // else it is gone or hangs
		select {
		case <-p.proc.Done():
		case <-ctx.Done():
		}
	}
	return p.Kill()
}

// Kill ends the browser at once and returns when nothing of it is left.
func (p *Process) Kill() error {
	p.once.Do(func() {
		p.proc.Kill()
		p.err = p.Conn.Close()
		p.proc.Wait()
	})
	return p.err
}
