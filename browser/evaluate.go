package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

const (
	// evalTime bounds a script; one that takes longer is ended.
	evalTime = 10 * time.Second
	// maxValue is how much a script may hand over.
	maxValue = 1 << 20
)

// Evaluate runs an expression in the page's own world, waits for its promise if
// it is one, and returns its value as JSON, null for none. frame is the id of a
// frame of [Tab.Frames]; empty is the tab's own document.
func (t *Tab) Evaluate(ctx context.Context, frame, expression string) (json.RawMessage, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	frames, err := t.Frames(ctx)
	if err != nil {
		return nil, err
	}
	if frame == "" {
		frame = frames[0].ID
	}
	for _, f := range frames {
		if f.ID == frame {
			value, err := v.evaluate(ctx, f.Session, frame, expression)
			return value, t.explain(v, err)
		}
	}
	return nil, NoTab.Becausef("the tab %s has no frame %q", t.id, frame)
}

func (v *view) evaluate(ctx context.Context, s *cdp.Session, frame, expression string) (json.RawMessage, error) {
	short, cancel := context.WithTimeout(ctx, evalTime)
	defer cancel()
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	if s.Target().ID != frame { // a frame of the same process: its world is asked for by its global object
		object, err := windowOf(short, s, frame)
		if err != nil {
			return nil, err
		}
		params["functionDeclaration"], params["objectId"] = "function(code) { return (0, this.eval)(code) }", object
		params["arguments"] = []any{map[string]any{"value": expression}}
		delete(params, "expression")
	}
	method := "Runtime.evaluate"
	if params["objectId"] != nil {
		method = "Runtime.callFunctionOn"
	}
	var out struct {
		Result    remote     `json:"result"`
		Exception *exception `json:"exceptionDetails"`
	}
	err := s.Call(short, method, params, &out)
	if err == nil && method == "Runtime.evaluate" && out.Exception.awaits() {
		// An await outside of a function. Nothing has run yet: the whole was not read.
		params["replMode"] = true
		out.Exception = nil
		err = s.Call(short, method, params, &out)
	}
	switch own, isOwn := asProtocol(err); {
	case isOwn:
		return nil, ScriptFailed.Becausef("the script gave nothing that can be passed on: %s", own.Message)
	case errors.Is(err, context.DeadlineExceeded):
		v.unstick(context.WithoutCancel(ctx))
		return nil, ScriptFailed.Becausef("the script did not end in time").Trying("let it do less; at most 10 seconds are waited for it")
	case err != nil:
		return nil, err
	case out.Exception != nil:
		return nil, ScriptFailed.Becausef("the script threw: %s", clip(out.Exception.String(), maxMessage))
	case len(out.Result.Value) > maxValue:
		return nil, TooLarge.Becausef("the script returned %d bytes; at most %d are passed on", len(out.Result.Value), maxValue)
	case len(out.Result.Value) > 0:
		return plain(out.Result.Value)
	case out.Result.Type == "undefined":
		return json.RawMessage("null"), nil
	}
	return json.Marshal(out.Result.String())
}

// awaits reports whether a script was refused for an await outside of a function.
func (e *exception) awaits() bool {
	return e != nil && strings.HasPrefix(e.String(), "SyntaxError: await is only valid")
}

// plain writes JSON with letters as they are: the protocol escapes all that is
// not ASCII.
func plain(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("browser: the value of a script: %w", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// windowOf is the window of a frame that shares its session with another.
func windowOf(ctx context.Context, s *cdp.Session, frame string) (string, error) {
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := s.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": frame}, &owner); err != nil {
		return "", err
	}
	var element, window struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
		Result struct {
			ID string `json:"objectId"`
		} `json:"result"`
	}
	if err := s.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": owner.Node}, &element); err != nil {
		return "", err
	}
	err := s.Call(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": element.Object.ID, "functionDeclaration": "function() { return this.contentWindow }"}, &window)
	return window.Result.ID, err
}
