package tool

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
)

// act does something on the page and tells what came of it.
func (d *deed) act(ctx context.Context) error {
	d.took(d.tab)
	a, err := d.asAct(ctx)
	if err != nil {
		return err
	}
	p := d.r.page(d.tab)
	if a.Kind == "get" || a.Kind == "wait" {
		done, err := p.Act(ctx, a)
		if err != nil {
			return err
		}
		d.told(done)
		return d.look(ctx)
	}
	if d.tab.Dialog() == nil {
		d.remember(ctx, p)
	}
	errorsBefore := d.errors()
	var done *page.Done
	e, err := d.tab.Settle(ctx, func(ctx context.Context) (err error) {
		done, err = p.Act(ctx, a)
		return err
	})
	if err != nil {
		return err
	}
	d.told(done)
	d.effect(e)
	d.newErrors(errorsBefore)
	return d.look(ctx)
}

// remember takes in the page before an act whose changes are wanted.
func (d *deed) remember(ctx context.Context, p *page.Page) {
	if d.in.Snapshot {
		_, _ = p.Snapshot(ctx, page.SnapshotOptions{Budget: 500}) // without it the whole page is shown in place of the changes
	}
}

// asAct makes a call into an act.
func (d *deed) asAct(ctx context.Context) (page.Act, error) {
	in := d.in
	a := page.Act{
		Kind: in.Kind, Ref: in.Ref, To: in.To, Text: in.words(), Submit: in.Submit, Key: in.Key, Values: in.Values, Off: in.Checked != nil && !*in.Checked,
		Button: in.Button, Modifiers: in.With, Direction: in.Direction, Amount: in.Amount, What: in.What, Name: in.Name, Limit: in.MaxChars,
		Gone: in.Gone, URL: in.URL, Timeout: in.timeout(0),
	}
	if in.Kind == "click_coords" {
		a.X, a.Y = *in.X, *in.Y
	}
	if in.Secret == "" {
		return a, nil
	}
	value, err := d.h.Secret(ctx, secretName(in.Secret))
	if err != nil || value == "" {
		return a, noSecret.Becausef("no secret is called %q", secretName(in.Secret)).Trying("ask the owner to store it with: hobkin secrets set " + secretName(in.Secret))
	}
	a.Text = value
	return a, nil
}

// told puts what an act did into the result. Of a secret nothing is said.
func (d *deed) told(done *page.Done) {
	switch {
	case done == nil: // a dialog came before it had ended
		return
	case d.in.Secret != "":
		d.out.said = "Typed the secret " + secretName(d.in.Secret) + " into " + d.in.Ref + "."
		return
	}
	d.out.said, d.out.Value, d.out.text = done.Text, done.Value, done.Content
	if done.More > 0 {
		d.out.notes = append(d.out.notes, fmt.Sprintf("%d more characters; ask for them with max_chars, or for a part with ref", done.More))
	}
}

// effect tells where an act led.
func (d *deed) effect(e *browser.Effect) {
	if d.out.said == "" {
		d.out.said = "It was done, and the page asks something."
	}
	if e.Arrival == nil {
		return
	}
	d.out.Status, d.moved = e.Arrival.Status, true
	d.out.notes = append(d.out.notes, "the tab went to another page; references of before are stale")
	if why := d.unloaded(e.Arrival.URL); why != "" {
		d.out.Status = 0
		d.out.notes = append(d.out.notes, "that page could not be loaded: "+why)
		return
	}
	if e.Arrival.Status >= 400 {
		d.out.notes = append(d.out.notes, fmt.Sprintf("the server answered with status %d", e.Arrival.Status))
	}
}

// unloaded is why the page of an address could not be loaded, as the browser says
// it of the newest request for it; empty when it could.
func (d *deed) unloaded(address string) string {
	list, _ := d.tab.Network()
	for _, r := range slices.Backward(list) {
		if r.Type == "Document" && r.URL == address {
			return r.Error
		}
	}
	return ""
}

// errors counts what went wrong in the page so far.
func (d *deed) errors() (n int) {
	list, _ := d.tab.Console()
	for _, m := range list {
		if m.Level == "error" || m.Level == "exception" {
			n++
		}
	}
	return n
}

func (d *deed) newErrors(before int) {
	if n := d.errors() - before; n > 0 {
		d.out.notes = append(d.out.notes, count(n, "error")+" on the console since; the action console lists what it says")
	}
}

// dialog answers the dialog that the page shows.
func (d *deed) dialog(ctx context.Context) error {
	d.took(d.tab)
	was := d.tab.Dialog()
	e, err := d.tab.AnswerDialog(ctx, *d.in.Accept, d.in.Text)
	if err != nil {
		return err
	}
	answer := "Cancel"
	if *d.in.Accept {
		answer = "OK"
	}
	d.out.said = "Answered the dialog with " + answer + "."
	if was != nil {
		d.out.said = "Answered the dialog, " + dialogText(was) + ", with " + answer + "."
	}
	d.effect(e)
	return d.look(ctx)
}

// evaluate runs a script in the page.
func (d *deed) evaluate(ctx context.Context) error {
	d.took(d.tab)
	ctx, cancel := context.WithTimeout(ctx, d.in.timeout(30*time.Second))
	defer cancel()
	var value []byte
	e, err := d.tab.Settle(ctx, func(ctx context.Context) (err error) {
		value, err = d.tab.Evaluate(ctx, "", d.in.Script)
		return err
	})
	if err != nil {
		return err
	}
	d.out.said = "Ran the script. Its value:"
	d.effect(e)
	most := d.in.MaxChars
	if most == 0 {
		most = page.DefaultBudget
	}
	d.out.text = capability.CutText(string(value), most)
	if len(d.out.text) < len(value) {
		d.out.notes = append(d.out.notes, fmt.Sprintf("the value has %d bytes and was cut; max_chars shows more", len(value)))
	}
	return nil
}
