package page

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// An Act is one thing to do on a page. Which fields count depends on Kind.
type Act struct {
	Kind string // see [Kinds]
	Ref  string // the element
	To   string // drag: the element to drop on

	Text   string // fill, type, wait
	Submit bool   // fill, type: press Enter after it
	Key    string // press: such as Control+Shift+K
	Values []string
	Off    bool // check: take the tick away

	Button    string   // click, double_click, click_coords: left, middle or right; empty is left
	Modifiers []string // held down during a click: Alt, Control, Meta, Shift

	X, Y      float64 // click_coords: in the window, CSS pixels; drag without To: by how much
	Direction string  // scroll: up, down, left, right; empty brings Ref into view
	Amount    int     // scroll: CSS pixels; 0 is most of a screen
	Wheel     bool    // scroll: turn the wheel, for what listens to that

	What  string // get: text, html, value, attribute, url, title; empty is text
	Name  string // get: of the attribute
	Limit int    // get: characters at most; 0 for 20,000

	Gone     string // wait: text that must be gone
	URL      string // wait: what the address must contain
	Loaded   bool   // wait: for the document to be loaded
	Function string // wait: an expression of JavaScript that must become true

	Timeout time.Duration // how long to wait for the element, or for what is waited for; 0 is 5 s, or 10 s for wait
}

// A Done is what an act did.
type Done struct {
	Text    string // one sentence: `Clicked button "Save" e5.`
	Content string // get: what was asked for, the page's word
	More    int    // get: characters of it that were left out
	Value   string // fill, type, select: what the field holds now; never a password
	Left    bool   // the document went away under the act: the page goes elsewhere
}

// kinds are the acts by name.
var kinds = map[string]func(*Page, context.Context, *Act) (*Done, error){
	"click": (*Page).click, "double_click": (*Page).click, "hover": (*Page).hover, "click_coords": (*Page).clickAt, "drag": (*Page).drag,
	"fill": (*Page).fill, "type": (*Page).typeText, "press": (*Page).press, "select": (*Page).choose, "check": (*Page).check,
	"scroll": (*Page).scroll, "submit": (*Page).submit, "get": (*Page).get, "wait": (*Page).wait,
}

// Kinds are the names of the acts, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

const (
	actTime  = 5 * time.Second  // for an element to be ready
	waitTime = 10 * time.Second // for what is waited for
	// MaxTimeout is the longest that an act waits.
	MaxTimeout = 2 * time.Minute
)

// Act does one thing on the page, once the element that it is done to is shown,
// enabled, at rest and not under another. It returns when the input has been
// taken in; whether the page goes on loading is the caller's to see.
func (p *Page) Act(ctx context.Context, a Act) (*Done, error) {
	do := kinds[a.Kind]
	if do == nil {
		return nil, BadAct.Becausef("there is no act %q", clean(a.Kind, 40)).Trying("use one of " + strings.Join(Kinds(), ", "))
	}
	switch {
	case a.Timeout <= 0 && a.Kind == "wait":
		a.Timeout = waitTime
	case a.Timeout <= 0:
		a.Timeout = actTime
	}
	a.Timeout = min(a.Timeout, MaxTimeout)
	p.mu.Lock()
	defer p.mu.Unlock()
	// What the page takes to answer comes on top of what is waited for.
	ctx, cancel := context.WithTimeoutCause(ctx, a.Timeout+20*time.Second, errSlow)
	defer cancel()
	done, err := do(p, ctx, &a)
	if err != nil {
		return nil, p.explain(ctx, parseRef(a.Ref), err)
	}
	return done, nil
}

var errSlow = capability.TimedOut.Becausef("the page does not answer: it may be busy or hang").Trying("wait a moment, reload the page, or close the tab")

// An element is what a reference names, in the world of its frame.
type element struct {
	world
	number int
	role   string
	name   string
	at     point // where it was last ready, in its frame's own coordinates
}

// String is the element in a sentence: button "Save" e5.
func (e element) String() string {
	n := node{row: row{Role: e.role, Name: clean(e.name, 60), Ref: e.number}}
	if e.role == "" {
		n.Role = "element"
	}
	return n.brief()
}

// find is the element of a reference.
func (p *Page) find(ctx context.Context, ref string) (element, error) {
	if ref == "" {
		return element{}, BadAct.Becausef("the act needs a reference").Trying("take a snapshot and give the reference of the element, such as e12")
	}
	number := parseRef(ref)
	frame := p.refs.frame(number)
	if frame == "" {
		return element{}, BadRef.Becausef("no snapshot gave the reference %q", clean(ref, 40))
	}
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return element{}, err
	}
	for _, f := range frames {
		if f.ID != frame {
			continue
		}
		w, err := p.enter(ctx, f)
		return element{world: w, number: number}, err
	}
	return element{}, errGone
}

// top is the world of the tab's own document.
func (p *Page) top(ctx context.Context) (world, []Frame, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return world{}, nil, err
	}
	if len(frames) == 0 {
		return world{}, nil, NoPage.Becausef("the tab shows no page now")
	}
	w, err := p.enter(ctx, frames[0])
	return w, frames, err
}

// word is what the script says of why something cannot be done.
type word struct {
	Why    string   `json:"why"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Cover  cover    `json:"cover"`
	Form   string   `json:"form"`
	Kind   string   `json:"kind"`
	Wanted string   `json:"wanted"`
	Count  int      `json:"count"`
	Other  []string `json:"options"`
}

// A cover is an element that is not the one meant.
type cover struct {
	Ref  int    `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
	Hint string `json:"hint"`
}

func (c cover) String() string {
	n := node{row: row{Role: clean(c.Role, 30), Name: clean(c.Name, 80), Ref: clamp(c.Ref, maxNumber)}}
	if n.Name == "" {
		n.Hint = clean(c.Hint, 40)
	}
	return n.line()
}

// fail makes a failure of why something cannot be done to an element.
func (e element) fail(w word, waited time.Duration) error {
	switch w.Why {
	case "gone":
		return errGone
	case "hidden", "outside":
		return NotVisible.Becausef("%v is not shown", e)
	case "disabled":
		return NotEnabled.Becausef("%v is disabled, and stayed so for %v", e, waited)
	case "readonly":
		return NotEditable.Becausef("%v is read-only", e).Trying("choose another field")
	case "moving":
		return NotStill.Becausef("%v kept moving for %v", e, waited)
	case "covered":
		return Covered.Becausef("%v lies under %v", e, w.Cover).With("cover", refName(clamp(w.Cover.Ref, maxNumber)))
	case "option":
		return NotVisible.Becausef("%v is an option of a list, which no click reaches", e).Trying("use select on the list, with the option's text")
	case "value":
		return BadValue.Becausef("%v does not take that value; it wants %s", e, clean(w.Form, 80))
	case "kind":
		return NotEditable.Becausef("%v takes no text", e).Trying("use " + clean(w.Kind, 20) + " on it")
	}
	return fmt.Errorf("%v: the page says %q", e, clean(w.Why, 40))
}
