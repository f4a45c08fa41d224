package confine

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Confiner confines commands. It is safe for concurrent use; the zero value
// takes the best backend that works.
type Confiner struct {
	Only []Backend // takes one of these alone; nil takes any

	mu    sync.Mutex
	probe *probed
	asked time.Time

	etc   []string // what of /etc is not for everyone
	etcAt time.Time
}

// keepClosed is how long it is remembered what of /etc is not for everyone: to
// look takes as long as the rest of a start.
const keepClosed = 5 * time.Second

// closed lists what of the settings of the system is not for everyone.
func (c *Confiner) closed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.etcAt) > keepClosed {
		c.etc, c.etcAt = closedIn("/etc"), time.Now()
	}
	return c.etc
}

// probed is what this machine can do.
type probed struct {
	reports []Report // of every backend, the best first; what cannot work says why
	bwrap   string
	setuid  bool // bubblewrap is, see [Confined.enterBwrap]
}

// probeAgain is when a machine that could not confine is asked once more.
const probeAgain = time.Minute

// Backends tells of every backend of this system, the best first, whether it
// works: one that does not says why and what to do. It tries them at most once
// in a minute.
func (c *Confiner) Backends() []Report { return c.look().reports }

func (c *Confiner) look() *probed {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probe == nil || c.probe.reports[0].Why != "" && time.Since(c.asked) > probeAgain {
		c.probe, c.asked = probe(), time.Now()
	}
	return c.probe
}

// Prepare readies the confinement of one command. In the mode auto it returns
// nil when nothing can hold one, and the report says so; in the mode required
// that is an error.
func (c *Confiner) Prepare(mode Mode, spec Spec) (*Confined, Report, error) {
	if mode == Off {
		return nil, Report{Backend: None}, nil
	}
	found := c.look()
	var out *Confined
	var report Report
	for _, r := range found.reports {
		if r.Why == "" && (len(c.Only) == 0 || r.Backend == c.Only[0]) {
			out, report = &Confined{spec: spec, backend: r.Backend, bwrap: found.bwrap, setuid: found.setuid}, r
			break
		}
	}
	if out == nil {
		report = Report{Backend: None, Why: "the backend that was asked for does not work here", Fix: "see what hobkin doctor says"}
		for _, r := range found.reports {
			if r.Why != "" {
				report.Why, report.Fix = r.Why, r.Fix
			}
		}
		if mode == Required {
			return nil, report, Unavailable.Becausef("%s", report.Why).Trying(report.Fix)
		}
		return nil, report, nil
	}
	out.plan = newPlan(spec, out.backend != Landlock, c.closed)
	report.Changed = out.settle()
	return out, report, nil
}

// settle takes back what a backend cannot hold, to the safe side, and says so.
func (c *Confined) settle() (changed []string) {
	if c.spec.Network == NetworkAllowlist && (c.backend != Bubblewrap || c.spec.Serve == nil) {
		c.spec.Network = NetworkOff
		return []string{"the network is off, as an allowlist needs bubblewrap"}
	}
	return nil
}

// Sentence says in the result of a command that it was not held, or not as asked
// for; empty when it was.
func (r Report) Sentence() string {
	switch {
	case r.Why != "":
		return "This command was not confined by the kernel: " + r.Why + ". To change that: " + r.Fix + "."
	case len(r.Changed) > 0:
		return "About the confinement of this command: " + strings.Join(r.Changed, "; ") + "."
	}
	return ""
}

// A Confined is the confinement of one command, for
// [github.com/hobkin/hobkin/core/process.Command].
type Confined struct {
	spec    Spec
	plan    Plan
	backend Backend
	bwrap   string
	setuid  bool
	inside  string   // this program, when it is to start in there too
	alone   bool     // no one asks what the command left
	left    *os.File // holds a word when the command left something running; nil when that is not known

	mu       sync.Mutex
	releases []func()
}

// Plan is what the command gets.
func (c *Confined) Plan() *Plan { return &c.plan }

// Namespace reports whether the command has process ids of its own.
func (c *Confined) Namespace() bool { return c.backend == Bubblewrap }

// Enter changes cmd so that it is confined when it is started, and restricts
// the calling thread, which must be locked to its goroutine and never be used
// for anything but the start of cmd. Release must follow, also after an error.
func (c *Confined) Enter(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err // it is not there
	}
	return c.enter(cmd)
}

// Release gives back what the command was lent.
func (c *Confined) Release() {
	c.mu.Lock()
	releases := c.releases
	c.releases = nil
	c.mu.Unlock()
	for _, release := range slices.Backward(releases) {
		release()
	}
}

func (c *Confined) onRelease(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releases = append(c.releases, f)
}
