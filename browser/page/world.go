package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/browser/cdp"
)

// worldName is what the isolated world is called in the browser's own tools. A
// frame has one world of a name for each document; asking again gives the same.
const worldName = "hobkin"

// maxAnswer bounds what one frame may say, in bytes. The script stops far below.
const maxAnswer = 16 << 20

// source is the script, put together once.
var source = sync.OnceValues(script)

// A world is the isolated world of one document.
type world struct {
	frame Frame
	*known
	page *Page // that the frame is of
}

// enter gives the world of the document that a frame shows now.
func (p *Page) enter(ctx context.Context, f Frame) (world, error) {
	k, err := p.worlds.enter(ctx, f)
	return world{f, k, p}, err
}

// remote is a value in the browser.
type remote struct {
	Type     string          `json:"type"`
	Subtype  string          `json:"subtype"`
	Value    json.RawMessage `json:"value"`
	ObjectID string          `json:"objectId"`
}

type evaluation struct {
	Result    remote `json:"result"`
	Exception *struct {
		Text   string `json:"text"`
		Object struct {
			Description string `json:"description"`
		} `json:"exception"`
	} `json:"exceptionDetails"`
}

func (e *evaluation) err() error {
	if e.Exception == nil {
		return nil
	}
	what := e.Exception.Object.Description
	if what == "" {
		what = e.Exception.Text
	}
	return fmt.Errorf("script: %s", strings.ToValidUTF8(clip(what, 300), "?"))
}

// call runs a function of the script and decodes its answer.
func (w world) call(ctx context.Context, result any, name string, args ...any) error {
	return w.start(name, args...)(ctx, result)
}

// start has a function of the script run. What it returns waits for the answer; it
// is called before the script is asked for anything else, also by who does not want
// the answer (result nil): references may have been given.
func (w world) start(name string, args ...any) (wait func(ctx context.Context, result any) error) {
	const run = `function(name, args, next) { return globalThis.hobkin ? globalThis.hobkin(name, args, next) : null }`
	if args == nil {
		args = []any{}
	}
	first := w.page.refs.first()
	begun := w.begin(run, true, value(name), value(args), value(first))
	return func(ctx context.Context, result any) error {
		got, err := begun(ctx)
		if err != nil {
			return err
		}
		next, raw, err := unwrap(got.Value, first)
		if err != nil {
			return fmt.Errorf("the answer of the page to %s: %w", name, err)
		}
		w.page.refs.given(w.frame.ID, next)
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(raw, result); err != nil {
			return fmt.Errorf("the answer of the page to %s: %w", name, err)
		}
		return nil
	}
}

// unwrap takes an answer of the script apart: JSON within a string, with the
// first reference that is free after it.
func unwrap(raw json.RawMessage, first int) (next int, value json.RawMessage, err error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return 0, nil, errors.New("it is not text")
	}
	var a struct {
		Next  int             `json:"next"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return 0, nil, err
	}
	if a.Next < first || a.Next > maxNumber || a.Next-first > 8*maxRows {
		return 0, nil, fmt.Errorf("it counts references from %d to %d", first, a.Next)
	}
	if len(a.Value) == 0 {
		return 0, nil, errors.New("it is empty")
	}
	return a.Next, a.Value, nil
}

// run calls a function in the world, after the script was put there.
func (w world) run(ctx context.Context, function string, byValue bool, args ...any) (remote, error) {
	return w.begin(function, byValue, args...)(ctx)
}

// begin is run in two steps.
func (w world) begin(function string, byValue bool, args ...any) (wait func(context.Context) (remote, error)) {
	first := w.invoke(function, byValue, args...)
	return func(ctx context.Context) (remote, error) {
		got, err := first(ctx)
		if err != nil || got.Subtype != "null" {
			return got, err
		}
		if err := w.install(ctx); err != nil {
			return remote{}, err
		}
		return w.invoke(function, byValue, args...)(ctx)
	}
}

func (w world) invoke(function string, byValue bool, args ...any) (wait func(context.Context) (remote, error)) {
	params := map[string]any{"functionDeclaration": function, "arguments": args, "returnByValue": byValue, "awaitPromise": byValue, "objectGroup": worldName}
	answer := w.frame.Session.Start("Runtime.callFunctionOn", w.in(params, "executionContextId"))
	return func(ctx context.Context) (remote, error) {
		var e evaluation
		err := answer(ctx, &e)
		if err == nil {
			err = e.err()
		}
		if len(e.Result.Value) > maxAnswer {
			return remote{}, fmt.Errorf("the page's answer has %d bytes", len(e.Result.Value))
		}
		return e.Result, err
	}
}

// install puts the script into the world. It does nothing where it is already.
func (w world) install(ctx context.Context) error {
	text, err := source()
	if err != nil {
		return err
	}
	var e evaluation
	params := map[string]any{"expression": text, "returnByValue": true, "silent": true}
	err = w.frame.Session.Call(ctx, "Runtime.evaluate", w.in(params, "contextId"), &e)
	if err == nil {
		err = e.err()
	}
	return err
}

// element is the object of a reference's number, to hand to the protocol. Release
// it with [world.release].
func (w world) element(ctx context.Context, number int) (string, error) {
	got, err := w.run(ctx, `function(number) { return globalThis.hobkin ? globalThis.hobkin.element(number) : null }`, false, value(number))
	if err != nil {
		return "", err
	}
	if got.ObjectID == "" {
		return "", errGone
	}
	return got.ObjectID, nil
}

// release lets go of the objects that were handed out.
func (w world) release() {
	w.frame.Session.Post("Runtime.releaseObjectGroup", map[string]any{"objectGroup": worldName})
}

// errGone is a reference whose element is no longer in its page.
var errGone = errors.New("the element is gone")

// value and object are arguments of a call.
func value(v any) map[string]any      { return map[string]any{"value": v} }
func object(id string) map[string]any { return map[string]any{"objectId": id} }

// lost reports whether an error says that the document or frame went away while
// it was asked, as in the middle of a navigation.
func lost(err error) bool {
	if errors.Is(err, cdp.ErrDetached) {
		return true
	}
	e, ok := errors.AsType[*cdp.Error](err)
	if !ok {
		return false
	}
	for _, text := range []string{"Cannot find context", "uniqueContextId not found", "context was destroyed", "No frame", "Frame with the given", "navigated or closed", "Promise was collected", "Could not find node", "does not belong"} {
		if strings.Contains(e.Message, text) {
			return true
		}
	}
	return false
}

// clip cuts text to n bytes and says so.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n] + "…"
}
