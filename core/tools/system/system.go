// Package system has the tools that reach the machine and the person at it:
// commands and what became of them, questions, notifications, the plan, access
// to folders, and the pages of the tools themselves.
//
// Commands run through package process, so that everything they start ends
// with them. A background command belongs to the session that started it and
// ends with that, or with the Host.
package system

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// Paths decides about paths. It is what [sandbox.Policy] does.
type Paths interface {
	Judge(turn capability.Turn, path string, use sandbox.Use) (abs string, err error)
}

// A Notifier shows desktop notifications. An error says in a sentence why it
// cannot, and what to install.
type Notifier interface {
	Notify(ctx context.Context, n Notification) error
}

// An Asker puts questions to the person of a turn and waits for the answers,
// until ctx ends. The answer to a secret question is a reference, such as
// keyring:NAME, never the secret itself. A question may be left without answer.
type Asker interface {
	AskUser(ctx context.Context, call capability.Call, form []Question) (answers map[string][]string, err error)
}

// Grants opens folders to the agent.
type Grants interface {
	// CheckGrant reports whether path may be granted at all, and which absolute
	// path that would be.
	CheckGrant(path string) (abs string, err error)
	// AddGrant grants abs from now on, until the owner takes it back.
	AddGrant(ctx context.Context, abs, reason string) error
}

// A Host is what the system tools work with. Paths must be set; without another
// part the tools that need it fail and say so. Its fields are not changed after
// the first call.
type Host struct {
	Paths    Paths
	Registry *capability.Registry // whose tools tool_help tells about
	Notifier Notifier
	Asker    Asker
	Grants   Grants
	Budgets  Budgets
	Commands Commands

	// Env is the base environment of commands, asked for each; nil means that
	// of [sandbox.Env] alone.
	Env func() []string
	// Desktop is the environment of programs that reach the desktop, such as its
	// clipboard; nil means what Hobkin itself was started with.
	Desktop func() []string
	// Confine readies what the kernel holds a command to; nil confines none.
	Confine Confine
	// Redact hides secrets in output of background commands before it is cut;
	// nil hides none.
	Redact func(string) string
	// Stream is Redact for what comes in pieces; nil hides none.
	Stream func() capability.TextStream
	// Outputs are what tool_result_recall looks into; nil has none.
	Outputs Outputs
	// Ended is told of every background command that ended, on a goroutine of
	// its own; may be nil.
	Ended func(Background)

	Limits Limits

	jobs  jobs
	plans plans
}

// Limits bound the tools. A zero field means its default.
type Limits struct {
	Keep       int           // bytes of each stream that are kept; 1 MiB
	Inline     int           // bytes of a background command that one call reads; 30 KB
	Background int           // commands of a session that run in the background; 16
	Timeout    time.Duration // of a command when the call does not say; 2 min
	MaxTimeout time.Duration // that a call can ask for; 10 min
	Grace      time.Duration // from the polite signal to the kill; 1 s
	Look       time.Duration // at a new background command, so that one that fails at once is told at once; 400 ms
}

func (h *Host) limits() Limits {
	l := h.Limits
	return Limits{
		Keep:       cmp.Or(l.Keep, 1<<20),
		Inline:     cmp.Or(l.Inline, 30_000),
		Background: cmp.Or(l.Background, 16),
		Timeout:    cmp.Or(l.Timeout, 2*time.Minute),
		MaxTimeout: cmp.Or(l.MaxTimeout, 10*time.Minute),
		Grace:      cmp.Or(l.Grace, time.Second),
		Look:       cmp.Or(l.Look, 400*time.Millisecond),
	}
}

func (h *Host) hide(text string) string {
	if h.Redact == nil {
		return text
	}
	return h.Redact(text)
}

// EndSession ends what belongs to a session: its background commands and its
// plan. It waits for the commands.
func (h *Host) EndSession(session string) {
	h.plans.drop(session)
	h.jobs.end(func(j *job) bool { return j.session == session })
}

// Close ends all background commands and waits for them. No new one can be
// started after it.
func (h *Host) Close() error {
	h.jobs.close()
	return nil
}

// plans are the plans of the sessions.
type plans struct {
	mu   sync.Mutex
	held map[string][]Todo
}

func (p *plans) set(session string, items []Todo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		p.held = map[string][]Todo{}
	}
	p.held[session] = items
}

func (p *plans) drop(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, session)
}

func (p *plans) of(session string) []Todo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held[session]
}
