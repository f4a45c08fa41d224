package capability

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// The steps up to the run. Resolving and repairing have files of their own.

// checkPolicy asks again what the listing asked: a model that names a tool it
// was not offered gets an error, not a run.
func checkPolicy(_ context.Context, f *flow) error { return f.offered(f.out.Tool) }

// offered reports an error for a tool that is not.
func (f *flow) offered(c *Capability) error {
	p := f.Registry.load().prepare(f.req.Filter)
	if err := f.req.Filter.Turn.outside(c); err != nil {
		return err
	}
	if !p.shows(c) {
		return NotAllowed.Becausef("%s is not offered in this turn", c.Name)
	}
	return nil
}

func validate(_ context.Context, f *flow) error {
	if f.args == nil {
		return ValidateJSON(f.out.Tool.Parameters, f.out.Call.Args)
	}
	c, err := compile(f.out.Tool.Parameters)
	if err != nil {
		return fmt.Errorf("compiling the schema: %w", err)
	}
	return c.check(f.args)
}

func guardCall(ctx context.Context, f *flow) error {
	given := string(f.out.Call.Args)
	for _, g := range f.Guards {
		if err := g(ctx, f.out.Tool, &f.out.Call); err != nil {
			return err
		}
	}
	if string(f.out.Call.Args) != given {
		f.args = nil
		return validate(ctx, f)
	}
	return nil
}

// announce tells the watchers what is called: from here on the arguments stay
// as they are.
func announce(_ context.Context, f *flow) error {
	if f.req.Started != nil {
		f.req.Started(f.out.Tool, f.out.Call)
	}
	if f.out.Repaired != "" && f.req.Repaired != nil {
		f.req.Repaired(f.out.Repaired)
	}
	return nil
}

func approve(ctx context.Context, f *flow) (err error) {
	if f.out.Tool.Preview != nil {
		f.preview, err = bounded(ctx, f, f.limits.Preview, f.out.Tool.Preview)
		if err != nil {
			return err
		}
	}
	switch {
	case f.Approve != nil:
		return f.Approve(ctx, f.out.Tool, f.out.Call, f.preview)
	case f.out.Tool.Class == ReadOnly:
		return nil
	}
	return Denied.Becausef("%s needs an approval and no one is there to give it", f.out.Tool.Name)
}

func run(ctx context.Context, f *flow) (err error) {
	f.ran = true
	f.out.Result, err = bounded(ctx, f, f.limits.Timeout, f.out.Tool.Handler)
	if err != nil { // what was printed before it failed is worth reading, and nothing else
		f.out.Result = Result{Streams: f.out.Result.Streams, Untrusted: f.out.Result.Untrusted}
	}
	return err
}

// bounded calls a tool's function with a time limit. A tool must return when
// its context ends; one that does not is left behind after the grace, so that
// it cannot hold up its session.
func bounded[T any](ctx context.Context, f *flow, limit time.Duration, do func(context.Context, Call) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1) // so that a tool that was left behind can end
	call, name := f.out.Call, f.out.Tool.Name
	go func() { // ends with the tool
		var a answer
		defer func() { done <- a }()
		defer recovered(name, &a.err)
		a.v, a.err = do(ctx, call)
	}()
	select {
	case a := <-done:
		return a.v, ended(ctx, a.err)
	case <-ctx.Done():
	}
	grace := time.NewTimer(f.limits.Grace)
	defer grace.Stop()
	select {
	case a := <-done:
		return a.v, ended(ctx, a.err)
	case <-grace.C:
		slog.ErrorContext(ctx, "capability: a tool does not stop when told to", "tool", name, "call", call.ID)
		var none T
		return none, ctx.Err()
	}
}

// ended says why a call failed: where its context ended, an error that tells
// nothing else on purpose ("signal: killed") only follows from that.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if _, ok := AsUserError(err); ok {
		return err
	}
	return ctx.Err()
}
