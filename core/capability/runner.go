package capability

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// A Runner takes calls through the path. Its fields are set before the first
// call and not changed after.
type Runner struct {
	Registry *Registry

	// Guards see a call before anyone is asked; they may block it (an error) or
	// rewrite its arguments.
	Guards []Guard
	// Approve decides about the final arguments: nil goes on. A nil Approve
	// lets only read-only calls through.
	Approve Approver
	// OutputGuards see a result before it leaves, also the text of a failure
	// that a run ended with; they may change or refuse it.
	OutputGuards []OutputGuard
	// Redact hides secrets in text; nil changes nothing.
	Redact func(string) string
	// Stream is Redact for live output, which comes in pieces. Where it is nil
	// each piece goes through Redact by itself.
	Stream func() TextStream
	// Save keeps a whole output that is too long for the chat, and returns the
	// path it was saved under. Nil keeps nothing.
	Save func(ctx context.Context, call Call, text string) (path string, err error)
	// Recall is the name of the tool that reads back what Save kept; the line
	// that says where an output is names it. Empty when there is none.
	Recall string
	// Distill shortens a long result without losing what matters, and says in a
	// few words how; an empty how leaves it as it is. Nil distills nothing.
	Distill func(text string) (short, how string)
	// Disclosure is how much of a failure is told.
	Disclosure Disclosure
	// FrameKey makes the marks around text from outside the same within a turn
	// and different from turn to turn: random bytes. Empty gives every result
	// marks of its own.
	FrameKey []byte
	// Observe is told of every call that ended.
	Observe func(ctx context.Context, o *Outcome)

	Limits Limits
}

// A Guard looks at a call before approval.
type Guard func(ctx context.Context, c *Capability, call *Call) error

// An Approver agrees to a call by returning nil.
type Approver func(ctx context.Context, c *Capability, call Call, p Preview) error

// An OutputGuard looks at a result before it leaves.
type OutputGuard func(ctx context.Context, c *Capability, call Call, r *Result) error

// Limits bound a call. A zero field means its default.
type Limits struct {
	Inline   int           // bytes of a result that stay in the chat; default 50 KB
	Success  int           // bytes of what a command printed that stay there when it went well; default 1 KiB
	Failure  int           // the same when it did not; default 8 KiB
	Distill  int           // bytes from which a result is distilled; default 8 KiB
	Whole    int           // bytes up to which a result is distilled; default 1 MiB
	Hard     int           // bytes of a result after everything; default 64 KiB
	Data     int           // bytes of structured data and of a diff; default 1 MiB
	Args     int           // bytes of arguments; default 256 KiB
	Parallel int           // calls of one step that run side by side; default 8
	Preview  time.Duration // of one preview; default 1 minute
	Timeout  time.Duration // of one run, waiting for a person not counted; default 15 minutes
	Grace    time.Duration // that a tool has to return after its context ended; default 5 seconds
}

func (l Limits) withDefaults() Limits {
	l.Hard = positive(l.Hard, 64<<10)
	l.Inline = min(positive(l.Inline, 50_000), l.Hard)
	l.Success = min(positive(l.Success, 1<<10), l.Inline)
	l.Failure = min(positive(l.Failure, 8<<10), l.Inline)
	l.Distill = positive(l.Distill, 8<<10)
	l.Whole = positive(l.Whole, 1<<20)
	l.Data = positive(l.Data, 1<<20)
	l.Args = positive(l.Args, 256<<10)
	l.Parallel = positive(l.Parallel, 8)
	l.Preview = positive(l.Preview, time.Minute)
	l.Timeout = positive(l.Timeout, 15*time.Minute)
	l.Grace = positive(l.Grace, 5*time.Second)
	return l
}

func positive[N int | time.Duration](v, otherwise N) N {
	if v > 0 {
		return v
	}
	return otherwise
}

// A Request is a call as the model made it. The functions may be nil; they are
// called on the goroutine of the call or of its tool.
type Request struct {
	ID     string
	Name   string // name or alias
	Args   json.RawMessage
	Filter Filter // what was offered; its Turn is the call's turn

	// Refused says why the call must not run, when that is known before: it is
	// what the model reads. Nil for every other call.
	Refused *UserError

	Started  func(c *Capability, call Call) // the call is allowed and its arguments are final; approval comes next
	Repaired func(note string)              // after Started, when the arguments were mended
	Progress func(text string)
	Output   func(stream, text string)
	Ended    func(*Outcome) // last, also for a call that never started
}

// An Outcome is what became of a call.
type Outcome struct {
	Call     Call
	Tool     *Capability // nil when no tool has that name
	Result   Result      // Text is what the model reads, also of a failure
	Err      error       // nil when it succeeded; a *UserError for what the model saw
	Repaired string      // what was mended in the arguments; empty when nothing
	SavedAs  string      // path of the whole output when Text was cut
	Duration time.Duration
}

// Failed reports whether the call failed.
func (o *Outcome) Failed() bool { return o.Err != nil }

// flow is one call on its way.
type flow struct {
	*Runner
	req     Request
	limits  Limits
	args    any // what the arguments of the call say; nil where they have to be read for that
	preview Preview
	ran     bool   // the handler was called, whatever came of it
	tail    string // lines of ours that close the result, whatever is cut before them
	live    lives
	out     Outcome
}

// A step does one thing to a flow.
type step struct {
	name string
	when stage
	run  func(context.Context, *flow) error
}

// A stage says when a step is taken.
type stage int

const (
	before stage = iota // unless something went wrong or the context ended
	after               // always: these are for failures too
)

// path is the way of every call, in order. The approval comes last before the
// run, so that it binds the final arguments; secrets are hidden before text is
// cut, so that no half of one stays; what we say of a result ourselves comes
// last, outside the frame of what came from elsewhere.
var path = []step{
	{"resolve", before, resolve},
	{"policy", before, checkPolicy},
	{"repair", before, repairArgs},
	{"validate", before, validate},
	{"guard", before, guardCall},
	{"announce", before, announce},
	{"approve", before, approve},
	{"run", before, run},
	{"explain", after, explain},
	{"guard output", after, guardOutput},
	{"redact", after, redact},
	{"distill", after, distill},
	{"persist", after, persist},
	{"note", after, note},
	{"frame", after, frame},
	{"limit", after, limit},
	{"close", after, closeText},
}

// Run takes one call from request to outcome. It never panics for a fault of a
// tool and always returns what the model should read.
func (r *Runner) Run(ctx context.Context, req Request) *Outcome {
	f := &flow{Runner: r, req: req, limits: r.Limits.withDefaults()}
	f.out.Call = Call{ID: req.ID, Name: req.Name, Args: req.Args, Turn: req.Filter.Turn}
	if req.Refused != nil {
		f.out.Err = req.Refused
	}
	f.listen()
	start := time.Now()
	for _, s := range path {
		f.take(ctx, s)
	}
	f.out.Duration = time.Since(start)
	f.live.settle()
	if req.Ended != nil {
		req.Ended(&f.out)
	}
	if r.Observe != nil {
		r.Observe(ctx, &f.out)
	}
	return &f.out
}

// take does one step. A step for failures that itself fails withholds the
// result: what was not guarded, redacted and cut does not leave.
func (f *flow) take(ctx context.Context, s step) {
	if s.when == after {
		if err := safely(ctx, f, s.run); err != nil {
			f.out.Result, f.out.Err = Result{}, err
			f.tell(ctx)
		}
		return
	}
	if f.out.Err == nil {
		f.out.Err = ctx.Err()
	}
	if f.out.Err == nil {
		f.out.Err = safely(ctx, f, s.run)
	}
}

// safely makes a panic of a step into an error.
func safely(ctx context.Context, f *flow, do func(context.Context, *flow) error) (err error) {
	defer recovered(f.req.Name, &err)
	return do(ctx, f)
}

// recovered makes a panic into an error. It is deferred.
func recovered(tool string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic in %s: %v\n%s", tool, p, debug.Stack())
	}
}

// hide redacts text. Where the redaction itself fails the text is withheld.
func (f *flow) hide(text string) (hidden string) {
	if f.Redact == nil || text == "" {
		return text
	}
	defer func() {
		if recover() != nil {
			hidden = withheld
		}
	}()
	return f.Redact(text)
}
