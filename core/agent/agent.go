package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// An Agent plays the turns of all sessions: one after another within a
// session, side by side between sessions. Its exported fields are set before
// the first use and not changed after.
//
//	Send → journal → queue of the session → turn → model ⇄ calls → end
type Agent struct {
	Registry *capability.Registry
	Runner   *capability.Runner
	Journal  Journal
	Hub      *Hub

	// Compactions keeps what stands for the beginning of long sessions. Nil keeps
	// nothing: then every turn of an idle session reads all of it.
	Compactions Compactions

	// Models returns the model for a role (main, background, subagent, job,
	// vision, reviewer), and after it those to fall back to. Override is what
	// the session or the message asked for, such as anthropic/claude; empty
	// means the role's own.
	Models func(ctx context.Context, role, override string) ([]Choice, error)
	// Modes returns what a permission mode narrows the tools to; nil narrows
	// nothing. A nil Modes knows only the mode plan, which is read-only.
	Modes func(mode string) *capability.Policy
	// Offer returns what else narrows a turn, such as tools that the owner
	// switched off. Turn and Policy of its result do not count. May be nil.
	Offer func(capability.Turn) capability.Filter
	// Deferral says whose schemas are left out of requests. Nil leaves out none.
	Deferral func() capability.Deferral
	// Facts returns what the prompt says of the surroundings. May be nil.
	Facts func(capability.Turn) Facts
	// Began is told of each turn before the model is asked, with the messages of
	// the session, the last of which began the turn. It must not keep the slice.
	// May be nil.
	Began func(turn capability.Turn, history []provider.Message)

	// Screen looks at what the model said in one step before it counts, and
	// returns what stands in its place with the reason; an empty reason leaves it
	// as it is. May be nil.
	Screen func(ctx context.Context, turn capability.Turn, text string) (shown, reason string)
	// Holds reports whether nothing of an answer is shown before Screen has
	// seen it whole, nor what the model thinks, which Screen does not see. Nil
	// means no.
	Holds func() bool

	// Tuning switches and tunes what is part of every turn; it is read when a
	// turn begins. Nil means the defaults.
	Tuning func() policy.Tuning
	// Caching reports whether providers are to keep the beginnings of
	// conversations at hand. Nil means yes.
	Caching func() bool
	// Budgets bound what may be spent; the zero value bounds nothing.
	Budgets Budgets

	MaxSteps int  // model calls in one turn; 0 means 100
	Retries  bool // repeat requests whose failure may pass, and say so; see [provider.Retry]

	mu       sync.Mutex
	sessions map[string]*session // those with a turn running, queued or being sent
	idle     idle                // those that had one last
	warned   map[string]bool     // sessions whose damage was told
	closed   bool
	workers  sync.WaitGroup
}

// A Choice is a model as a role uses it.
type Choice struct {
	Model  provider.Model
	Effort string // see [provider.Request]
}

// Input is a message that enters a session.
type Input struct {
	Session   string // id
	Text      string
	Images    []provider.Image
	Channel   string           // where it came in: desktop, cli, socket, voice, job, subagent, …
	Trust     capability.Trust // stamped by the channel, never raised later
	Attended  bool             // a person is there to answer questions
	Mode      string           // permission mode
	Model     string           // override, see [Agent.Models]
	Role      string           // role of the model; empty means main
	Workspace string           // absolute
	Locale    string           // BCP 47 tag

	Command string           // the line that Text was made of, where a command of the person's was; it is what they are shown
	Bound   capability.Bound // what the turn's calls are held to; nil holds them to nothing

	Provenance capability.Provenance // stamped by the channel, like Trust
}

// Sent names the turn that a message became.
type Sent struct {
	Turn string
	From int64 // number of the message's own event: a watch from here sees the turn whole
}

// ErrClosed is returned for a message that comes after [Agent.Close].
var ErrClosed = errors.New("agent: it is shutting down")

// The failures of sending.
var (
	EmptyMessage    = &capability.Failure{Code: "empty_message", When: "the message has neither text nor images", Try: "write something"}
	MessageTooLarge = &capability.Failure{Code: "message_too_large", When: "the message is larger than can be sent to a model", Try: "put the text into a file and name the file, or send fewer images"}
	NothingToResume = &capability.Failure{Code: "nothing_to_resume", When: "no message of the session waits for an answer", Try: "send a new message"}
)

// Bounds of one message, in bytes.
const (
	maxText   = 4 << 20
	maxImages = 20 << 20
)

func (in Input) check() error {
	size := 0
	for _, im := range in.Images {
		size += len(im.Data)
	}
	switch {
	case in.Session == "":
		return errors.New("agent: a message without a session")
	case strings.TrimSpace(in.Text) == "" && len(in.Images) == 0:
		return EmptyMessage.Becausef("the message is empty")
	case len(in.Text) > maxText:
		return MessageTooLarge.Becausef("the text is %d MB; at most %d are taken", len(in.Text)>>20, maxText>>20)
	case size > maxImages:
		return MessageTooLarge.Becausef("the images are %d MB; at most %d are taken", size>>20, maxImages>>20)
	}
	return nil
}

func (in Input) message() provider.Message {
	m := provider.Message{Role: provider.RoleUser}
	if in.Text != "" {
		m.Parts = append(m.Parts, provider.Text{Text: in.Text})
	}
	for _, im := range in.Images {
		m.Parts = append(m.Parts, im)
	}
	return m
}

// Send stores a message and queues its turn. When it returns without an error
// the message survives a kill at the next instant. It does not wait for the
// turn, and the end of ctx does not stop it: [Agent.Stop] does.
func (a *Agent) Send(ctx context.Context, in Input) (Sent, error) {
	if err := in.check(); err != nil {
		return Sent{}, err
	}
	ctx = context.WithoutCancel(ctx) // half a message must not be stored
	s, err := a.acquire(in.Session)
	if err != nil {
		return Sent{}, err
	}
	defer a.release(s)
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := a.load(ctx, s); err != nil {
		return Sent{}, err
	}
	j := &job{Input: in, turn: newID("turn"), message: in.message()}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	e, err := a.accept(ctx, s, j)
	if err != nil {
		j.cancel(nil)
		return Sent{}, err
	}
	a.enqueue(s, j)
	return Sent{Turn: j.turn, From: e.Seq}, nil
}

// accept makes a message durable.
func (a *Agent) accept(ctx context.Context, s *session, j *job) (Event, error) {
	if err := a.Journal.AppendMessage(ctx, j.Session, j.turn, j.message); err != nil {
		return Event{}, fmt.Errorf("agent: storing the message: %w", err)
	}
	s.written.Add(1)
	e, err := a.Hub.Publish(ctx, j.Session, j.turn, InputMessage{Text: j.Text, Command: j.Command, Images: len(j.Images), Channel: j.Channel, Trust: j.Trust, Provenance: j.Provenance})
	if err != nil {
		return Event{}, fmt.Errorf("agent: storing the message's event: %w", err)
	}
	return e, nil
}

// load reads the history of a session that was idle. It is read before the
// first new message is stored: so what is queued never stands in the history
// of the turn that runs.
func (a *Agent) load(ctx context.Context, s *session) error {
	if s.loaded {
		return nil
	}
	warnings, err := a.read(ctx, s)
	if err != nil {
		return fmt.Errorf("agent: reading the history: %w", err)
	}
	s.loaded = true
	if len(warnings) == 0 || !a.firstWarning(s.id) {
		return nil
	}
	_, err = a.Hub.Publish(ctx, s.id, "", Notice{"Parts of this conversation are damaged and were left out: " + strings.Join(warnings, "; ")})
	return err
}

// read brings the history of a session, unless it is at hand and no one else
// has written there since.
func (a *Agent) read(ctx context.Context, s *session) (warnings []string, err error) {
	if a.Compactions == nil {
		s.history, warnings, err = a.Journal.Messages(ctx, s.id)
		return warnings, err
	}
	mark, err := a.Compactions.Mark(ctx, s.id)
	if err != nil || s.held && mark == s.mark+s.written.Load() {
		return nil, err
	}
	s.mark = mark
	s.written.Store(0)
	s.history, warnings, err = a.Compactions.Recall(ctx, s.id)
	return warnings, err
}

func (a *Agent) firstWarning(session string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.warned[session] {
		return false
	}
	if a.warned == nil {
		a.warned = map[string]bool{}
	}
	a.warned[session] = true
	return true
}

// newID makes an id that is unique wherever it is seen.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()[:16]) }
