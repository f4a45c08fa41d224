package page

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// choose is the act of choosing options of a native list.
func (p *Page) choose(ctx context.Context, a *Act) (*Done, error) {
	if len(a.Values) == 0 {
		return nil, BadAct.Becausef("select needs values").Trying("give the text or the value of each option to choose")
	}
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	if _, err := p.ready(ctx, &e, need{Enabled: true}, a.Timeout); err != nil {
		return nil, err
	}
	var got struct {
		word
		Chosen []string `json:"chosen"`
	}
	if err := e.call(ctx, &got, "choose", e.number, a.Values); err != nil {
		return nil, err
	}
	if got.Why != "" {
		return nil, e.notChosen(got.word, a)
	}
	names := cleanAll(got.Chosen, 100)
	return &Done{Text: "Chose " + quoteAll(names) + " in " + e.String() + ".", Value: strings.Join(names, ", ")}, nil
}

func (e element) notChosen(w word, a *Act) error {
	wanted := clean(w.Wanted, 100)
	switch w.Why {
	case "option":
		more := ""
		if w.Count > len(w.Other) {
			more = fmt.Sprintf(" and %d more", clamp(w.Count, maxNumber)-len(w.Other))
		}
		return NoOption.Becausef("%v has no option %q; it has %s%s", e, wanted, quoteAll(cleanAll(w.Other, 60)), more)
	case "off":
		return NotEnabled.Becausef("the option %q of %v is disabled", wanted, e).Trying("choose another option")
	case "single":
		return NoOption.Becausef("%v takes one option, and %d were given", e, len(a.Values)).Trying("give one value")
	case "kind":
		return NotSelect.Becausef("%v is not a native list", e)
	}
	return e.fail(w, a.Timeout)
}

// check is the act of ticking a box, or of taking the tick away.
func (p *Page) check(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	got, err := e.ticked(ctx)
	if err != nil {
		return nil, err
	}
	want, done := "checked", "Checked "
	if a.Off {
		want, done = "unchecked", "Unchecked "
	}
	if got.Why == "kind" {
		_, _ = p.ready(ctx, &e, need{}, 0) // for its name
		return nil, NotCheck.Becausef("%v is nothing that can be ticked", e)
	}
	box := element{world: e.world, number: got.Click}
	if got.State == want {
		_, _ = p.ready(ctx, &e, need{}, 0)
		return &Done{Text: fmt.Sprintf("%v is %s already.", e, want), Value: want}, nil
	}
	if got.Radio && a.Off {
		return nil, NotCheck.Becausef("a radio button is not unticked by itself").Trying("check another one of its group")
	}
	m := mouse{session: e.frame.Session}
	at, _, err := p.aim(ctx, &box, m, need{Enabled: true}, a.Timeout)
	if err != nil {
		return nil, err
	}
	// A box of three states takes two clicks at times.
	for range 2 {
		if left, err := m.click(ctx, at, "left", 1); err != nil || left {
			return &Done{Text: done + box.String() + ".", Left: left}, err
		}
		if e.becomes(ctx, want) {
			return &Done{Text: done + box.String() + ".", Value: want}, nil
		}
		if got.State != "mixed" {
			break
		}
	}
	return nil, Unchanged.Becausef("%v is not %s after the click", box, want)
}

// tick is how a box stands.
type tick struct {
	word
	State string `json:"state"` // checked, unchecked or mixed
	Radio bool   `json:"radio"`
	Click int    `json:"click"` // what to click: the box, or the label drawn in its place
}

func (e element) ticked(ctx context.Context) (tick, error) {
	var got tick
	if err := e.call(ctx, &got, "ticked", e.number); err != nil {
		return tick{}, err
	}
	if got.Why == "gone" || e.page.refs.frame(got.Click) != e.frame.ID && got.Why == "" {
		return tick{}, errGone
	}
	return got, nil
}

// becomes waits for a box to stand as wanted: pages may take a moment.
func (e element) becomes(ctx context.Context, want string) bool {
	const long = 2 * time.Second
	ok := false
	_ = poll(ctx, long, func(ctx context.Context) (bool, error) {
		got, err := e.ticked(ctx)
		ok = err == nil && got.State == want
		return ok || err != nil, nil
	})
	return ok
}

func cleanAll(list []string, n int) []string {
	for i, s := range list {
		list[i] = clean(s, n)
	}
	return list
}

func quoteAll(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		writeText(&b, s)
	}
	return b.String()
}
