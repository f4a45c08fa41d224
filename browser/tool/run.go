package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/capability"
)

// A deed is one call on its way.
type deed struct {
	h    *Host
	call capability.Call
	in   *input
	r    *running // nil for actions that need none
	tab  *browser.Tab

	moved bool // the tab went to another page
	out   report
}

// report is the structured result, for programs and the window.
type report struct {
	Action  string   `json:"action"`
	Kind    string   `json:"kind,omitempty"`
	Profile string   `json:"profile,omitempty"`
	Tab     string   `json:"tab,omitempty"`
	URL     string   `json:"url,omitempty"`
	Title   string   `json:"title,omitempty"`
	Status  int      `json:"status,omitempty"` // of HTTP
	Value   string   `json:"value,omitempty"`  // what the element holds now
	Dialog  string   `json:"dialog,omitempty"` // that is open
	Events  []string `json:"events,omitempty"` // what happened by itself

	text      string // what was asked for: a snapshot, a list
	said      string // one sentence of what was done
	notes     []string
	images    []capability.Image
	files     []string
	untrusted bool
}

// actions are what a call may do, by name.
var actions = map[string]func(*deed, context.Context) error{
	"status": (*deed).status, "doctor": (*deed).doctor, "start": (*deed).start, "stop": (*deed).stop,
	"open": (*deed).openTab, "navigate": (*deed).navigate, "back": (*deed).back, "forward": (*deed).forward, "reload": (*deed).reload,
	"tabs": (*deed).tabs, "focus": (*deed).focus, "close": (*deed).closeTab,
	"snapshot": (*deed).snapshot, "screenshot": (*deed).screenshot, "pdf": (*deed).pdf, "console": (*deed).console, "network": (*deed).network,
	"act": (*deed).act, "dialog": (*deed).dialog, "upload": (*deed).upload, "download": (*deed).download,
	"cookies": (*deed).cookies, "storage": (*deed).storage, "evaluate": (*deed).evaluate,
}

// tabless are the actions that need no tab.
var tabless = map[string]bool{"status": true, "doctor": true, "start": true, "stop": true, "open": true, "tabs": true, "focus": true, "close": true}

// run does a call.
func (h *Host) run(ctx context.Context, call capability.Call, in input) (capability.Result, error) {
	if err := in.check(); err != nil {
		return capability.Result{}, err
	}
	now, err := h.intend(ctx, call, &in)
	if err != nil {
		return capability.Result{}, err
	}
	if err := h.stands(call, now); err != nil {
		return capability.Result{}, err
	}
	d := &deed{h: h, call: call, in: &in, out: report{Action: in.Action, Kind: in.Kind}}
	if err := d.reach(ctx); err != nil {
		return capability.Result{}, err
	}
	d.begin()
	if err := actions[in.Action](d, ctx); err != nil {
		return capability.Result{Untrusted: d.r != nil}, d.explain(err)
	}
	if err := d.end(ctx); err != nil {
		return capability.Result{}, err
	}
	return d.result()
}

// reach finds the browser and the tab that a call is for.
func (d *deed) reach(ctx context.Context) (err error) {
	d.out.Profile = d.h.profile(d.call, d.in)
	switch {
	case d.in.Action == "start" && d.in.Window && !d.h.screen():
		return chromium.NoDisplay.Becausef("there is no screen to show a window on").Trying("ask the person to use a computer with a screen, or go on without")
	case d.in.Action == "doctor" || d.in.Action == "status" && !d.h.Settings().Enabled:
		return nil
	case tabless[d.in.Action]:
		d.r, err = d.h.browser(ctx, d.out.Profile, d.in.Action == "start" && d.in.Window)
	default:
		d.r, d.tab, err = d.h.tab(ctx, d.call, d.in)
	}
	return err
}

// tab finds the tab that a call is for: the one it names, the one its
// conversation used last, or the one that is active. It starts nothing.
func (h *Host) tab(ctx context.Context, call capability.Call, in *input) (*running, *browser.Tab, error) {
	profile := h.profile(call, in)
	r, err := h.browser(ctx, profile, false)
	if err != nil {
		return nil, nil, err
	}
	id := in.Tab
	if id == "" {
		h.mu.Lock()
		id = h.of(call.Turn.Session).tab[profile]
		h.mu.Unlock()
		if t, err := r.Tab(id); err == nil {
			return r, t, nil
		}
		id = "" // it has closed
	}
	t, err := r.Tab(id)
	if errors.Is(err, browser.NoTab) && len(r.Tabs()) == 0 {
		return nil, nil, browser.NoTab.Becausef("nothing is open in the browser").Trying(`open a page first: {"action":"open","url":"https://example.org"}`)
	}
	return r, t, err
}

// begin notes what was before: only what happens from now on is told.
func (d *deed) begin() {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	s := d.h.of(d.call.Turn.Session)
	s.profile = d.out.Profile
	if d.out.Profile == Attached && d.r != nil && d.in.Action != "stop" {
		s.attached = true
	}
	if _, known := s.serial[d.out.Profile]; !known && d.r != nil {
		_, s.serial[d.out.Profile] = d.r.Since(0)
	}
}

// took makes a tab the one that the conversation goes on with.
func (d *deed) took(t *browser.Tab) {
	d.tab = t
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	d.h.of(d.call.Turn.Session).tab[d.out.Profile] = t.ID()
}

// end adds where the tab is now and what happened by itself.
func (d *deed) end(ctx context.Context) error {
	if d.r == nil {
		return nil
	}
	if err := d.events(ctx); err != nil {
		return err
	}
	if d.tab == nil {
		return nil
	}
	info := d.tab.Info()
	d.out.Tab, d.out.URL, d.out.Title = info.ID, info.URL, info.Title
	if info.Dialog != nil {
		d.out.Dialog = dialogText(info.Dialog)
	}
	return nil
}

func dialogText(b *browser.Dialog) string {
	text := fmt.Sprintf("%s %s", b.Kind, strconv.QuoteToGraphic(b.Message))
	if b.Default != "" {
		text += fmt.Sprintf(" with %s in it", strconv.QuoteToGraphic(b.Default))
	}
	return text
}

// result writes the report down.
func (d *deed) result() (capability.Result, error) {
	o := &d.out
	var b strings.Builder
	line := func(text string) {
		if text != "" {
			b.WriteString(strings.TrimRight(text, "\n") + "\n")
		}
	}
	line(o.said)
	if o.Tab != "" {
		line("Tab " + o.Tab + ": " + titled(o.Title, o.URL))
	}
	if o.Dialog != "" {
		line(fmt.Sprintf("The page shows a dialog and can do nothing else until it is answered: %s. Answer it: {\"action\":\"dialog\",\"accept\":true}", o.Dialog))
	}
	for _, e := range o.Events {
		line(e)
	}
	for _, n := range o.notes {
		line("(" + n + ")")
	}
	if o.text != "" {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		line(o.text)
	}
	data, err := json.Marshal(o)
	if err != nil {
		return capability.Result{}, fmt.Errorf("browser: marshalling: %w", err)
	}
	return capability.Result{
		Text: strings.TrimSuffix(b.String(), "\n"), Data: data, Summary: d.summary(), Images: o.images, Files: o.files, Untrusted: o.untrusted || d.tab != nil,
	}, nil
}

func titled(title, address string) string {
	if title == "" {
		return address
	}
	return strconv.QuoteToGraphic(title) + " " + address
}

// summary is the result in a line for its card.
func (d *deed) summary() string {
	switch {
	case d.out.Dialog != "":
		return "a dialog waits"
	case d.out.said != "" && d.tab == nil:
		return capability.CutText(d.out.said, 100)
	case d.out.Title != "":
		return d.out.Title
	}
	return where(d.out.URL)
}

// explain makes the error of a page that shows a dialog say so.
func (d *deed) explain(err error) error {
	if d.tab != nil {
		return explained(d.tab, err)
	}
	return err
}

// timeout is how long the call may wait.
func (in *input) timeout(otherwise time.Duration) time.Duration {
	if in.Timeout > 0 {
		return time.Duration(in.Timeout) * time.Millisecond
	}
	return otherwise
}

func attachAddress(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
