package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// pollTime is how often something that is waited for is looked at.
const pollTime = 80 * time.Millisecond

// errNotYet ends a poll whose time is over.
var errNotYet = errors.New("not in time")

// poll asks until the answer is yes, for a time at most.
func poll(ctx context.Context, long time.Duration, ask func(context.Context) (bool, error)) error {
	deadline := time.NewTimer(long)
	defer deadline.Stop()
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		yes, err := ask(ctx)
		switch {
		case err != nil && !lost(err): // a page that is just going is asked again
			return err
		case err == nil && yes:
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return errNotYet
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A condition is something to wait for, in words and as a question.
type condition struct {
	words string
	ask   func(context.Context) (bool, error)
}

// wait is the act of waiting until all that it names is so.
func (p *Page) wait(ctx context.Context, a *Act) (*Done, error) {
	list := p.conditions(a)
	if len(list) == 0 {
		return nil, BadAct.Becausef("wait needs something to wait for").Trying("give text, gone, url, ref, loaded or function")
	}
	start := time.Now()
	var words []string
	for _, c := range list {
		left := max(a.Timeout-time.Since(start), pollTime)
		err := poll(ctx, left, c.ask)
		if errors.Is(err, errNotYet) {
			return nil, NotThere.Becausef("after %v, %s is still not so", a.Timeout, c.words)
		}
		if err != nil {
			return nil, err
		}
		words = append(words, c.words)
	}
	return &Done{Text: fmt.Sprintf("After %v: %s.", time.Since(start).Round(10*time.Millisecond), strings.Join(words, "; "))}, nil
}

func (p *Page) conditions(a *Act) (list []condition) {
	add := func(on bool, words string, ask func(context.Context) (bool, error)) {
		if on {
			list = append(list, condition{words, ask})
		}
	}
	add(a.Loaded, "the page is loaded", func(ctx context.Context) (bool, error) { return p.loaded(ctx) })
	add(a.URL != "", fmt.Sprintf("the address contains %q", a.URL), func(ctx context.Context) (bool, error) { return p.atURL(ctx, a.URL) })
	add(a.Ref != "" && a.Gone == "", a.Ref+" is shown", func(ctx context.Context) (bool, error) { return p.isShown(ctx, a.Ref) })
	add(a.Text != "", fmt.Sprintf("the page says %q", a.Text), func(ctx context.Context) (bool, error) { return p.says(ctx, a.Text) })
	add(a.Gone != "", fmt.Sprintf("%q is gone from the page", a.Gone), func(ctx context.Context) (bool, error) {
		there, err := p.says(ctx, a.Gone)
		return !there, err
	})
	add(a.Function != "", "the function is true", func(ctx context.Context) (bool, error) { return p.holds(ctx, a.Function) })
	return list
}

func (p *Page) loaded(ctx context.Context) (bool, error) {
	w, _, err := p.top(ctx)
	if err != nil {
		return false, err
	}
	var state string
	err = w.call(ctx, &state, "state")
	return state == "complete", err
}

func (p *Page) atURL(ctx context.Context, part string) (bool, error) {
	w, _, err := p.top(ctx)
	if err != nil {
		return false, err
	}
	var got content
	err = w.call(ctx, &got, "get", 0, "url", "")
	return strings.Contains(got.Text, part), err
}

func (p *Page) isShown(ctx context.Context, ref string) (bool, error) {
	e, err := p.find(ctx, ref)
	if err != nil {
		return false, err
	}
	var got struct {
		There bool `json:"there"`
		Shown bool `json:"shown"`
	}
	if err := e.call(ctx, &got, "shown", e.number); err != nil {
		return false, err
	}
	if !got.There {
		return false, errGone
	}
	return got.Shown, nil
}

// says reports whether text can be read in any frame of the tab.
func (p *Page) says(ctx context.Context, text string) (bool, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return false, err
	}
	for i, f := range frames {
		if i >= maxFrames {
			break
		}
		w, err := p.enter(ctx, f)
		var yes bool
		if err == nil {
			err = w.call(ctx, &yes, "hasText", text)
		}
		if yes {
			return true, nil
		}
		if err != nil && (i == 0 || !lost(err)) {
			return false, err
		}
	}
	return false, nil
}

// holds evaluates an expression in the page's own world; it is true when its
// value is, as JavaScript sees it. A function is called.
func (p *Page) holds(ctx context.Context, expression string) (bool, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil || len(frames) == 0 {
		return false, err
	}
	var e evaluation
	err = frames[0].Session.Call(ctx, "Runtime.evaluate", map[string]any{
		"expression":    "(async () => { const value = (" + expression + "\n); return Boolean(typeof value === 'function' ? await value() : await value) })()",
		"returnByValue": true, "awaitPromise": true,
	}, &e)
	if err != nil {
		return false, err
	}
	if err := e.err(); err != nil {
		return false, PageScript.Becausef("the function fails: %s", clean(err.Error(), 300))
	}
	var yes bool
	return yes, json.Unmarshal(e.Result.Value, &yes)
}
