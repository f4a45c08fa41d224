package capability

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
)

// The steps after the run: the same care for what comes out as for what went in.

// explain makes an error into what the model reads: the whole of an expected
// failure, only an id of any other.
func explain(ctx context.Context, f *flow) error {
	f.tell(ctx)
	return nil
}

// tell writes f.out.Err into the result.
func (f *flow) tell(ctx context.Context) {
	err := f.out.Err
	if err == nil {
		return
	}
	u, ok := AsUserError(err)
	if !ok { // what a tool gave beside a fault of its own may hold anything
		f.out.Result.Streams = nil
	}
	switch {
	case ok:
		u = f.Disclosure.Expected(f.redacted(u))
	case errors.Is(err, context.Canceled):
		u = Cancelled.Becausef("%s was stopped before it ended", f.req.Name)
	case errors.Is(err, context.DeadlineExceeded):
		u = TimedOut.Becausef("%s did not end in time", f.req.Name)
	default:
		id := rand.Text()[:8]
		slog.ErrorContext(ctx, "capability: internal error", "tool", f.req.Name, "id", id, "error", f.hide(err.Error()))
		u = Internal.Becausef("%s", f.Disclosure.Internal(id, f.hide(err.Error())))
	}
	f.out.Err = u
	f.out.Result.Text, f.tail = failureText(u), "\n"+hint
}

// redacted returns a copy of u without secrets. A copy, because a tool may
// give the same value again, and at the same time, to another call.
func (f *flow) redacted(u *UserError) *UserError {
	out := *u
	out.Message, out.Try = f.hide(u.Message), f.hide(u.Try)
	out.Details = maps.Clone(u.Details)
	if f.Redact == nil || len(u.Details) == 0 {
		return &out
	}
	raw, err := json.Marshal(u.Details)
	if err != nil {
		out.Details = nil // what cannot be read cannot be cleared
		return &out
	}
	if hidden := RedactJSON(raw, f.hide); string(hidden) != string(raw) {
		out.Details = nil
		_ = json.Unmarshal(hidden, &out.Details) // on failure there are no details, which is safe
	}
	return &out
}

// guardOutput lets the guards see what a run gave, its failure included.
func guardOutput(ctx context.Context, f *flow) error {
	if !f.ran {
		return nil
	}
	for _, g := range f.OutputGuards {
		if err := g(ctx, f.out.Tool, f.out.Call, &f.out.Result); err != nil {
			return err
		}
	}
	return nil
}

func redact(_ context.Context, f *flow) error {
	if f.Redact == nil {
		return nil
	}
	r := &f.out.Result
	r.Rewrite(f.hide)
	return nil
}
