package page

import (
	"cmp"
	"context"
	_ "embed" // the script
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

//go:embed about.js
var aboutScript string

// An About says what an element is and what acting on it would do, for whoever
// has to agree to that. All of it is the page's word.
type About struct {
	Role, Name string
	Tag, Type  string // such as input and submit
	URL        string // of the document that it is in
	Link       string // where a link leads
	Action     string // where the form of it is sent
	Submit     bool   // a button that sends its form
	Opener     bool   // a button that only opens, closes or toggles something
	Editable   bool   // text that is edited in place
	Password   bool
	Frame      bool   // a frame: what is in it is not known
	Holds      string // name of a button within it, which a click may reach

	// Personal is what the element wants that only a person should give, and
	// PersonalForm what any field of its form wants: code (that was sent to
	// them), card (number, date or check digits), or nothing.
	Personal, PersonalForm string
}

// String is the element in a sentence: button "Save".
func (a *About) String() string {
	n := node{row: row{Role: clean(a.Role, 30), Name: clean(a.Name, 80)}}
	if n.Role == "" || n.Role == "none" {
		n.Role = cmp.Or(clean(a.Tag, 20), "element")
	}
	if n.Name == "" {
		return n.word()
	}
	return n.what()
}

// About tells of the element of a reference; without one, of what has the focus.
// It is nil where nothing has.
func (p *Page) About(ctx context.Context, ref string) (*About, error) {
	return p.aboutRef(ctx, ref, "element")
}

// AboutField is About of the field that words would go to: the element itself,
// or the one that its label or box is of.
func (p *Page) AboutField(ctx context.Context, ref string) (*About, error) {
	return p.aboutRef(ctx, ref, "field")
}

func (p *Page) aboutRef(ctx context.Context, ref, wanted string) (*About, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ref == "" {
		return p.aboutFocus(ctx)
	}
	e, err := p.find(ctx, ref)
	if err == nil {
		var a *About
		if a, err = e.about(ctx, e.number, wanted, 0, 0); err == nil {
			return a, nil
		}
	}
	return nil, p.explain(ctx, parseRef(ref), err)
}

// AboutPoint tells of what a click at a point of the window would reach; nil for
// nothing. Of a frame only that it is one.
func (p *Page) AboutPoint(ctx context.Context, x, y float64) (*About, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, _, err := p.top(ctx)
	if err != nil {
		return nil, err
	}
	return w.about(ctx, 0, "point", x, y)
}

// aboutFocus finds what has the focus, in whichever frame it is.
func (p *Page) aboutFocus(ctx context.Context) (*About, error) {
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return nil, err
	}
	var found *About
	for i, f := range frames {
		if i >= maxFrames {
			break
		}
		w, err := p.enter(ctx, f)
		var a *About
		if err == nil {
			a, err = w.about(ctx, 0, "focus", 0, 0)
		}
		switch {
		case err != nil && (i == 0 || !lost(err)):
			return nil, err
		case err == nil && a != nil && (found == nil || !a.Frame && found.Frame):
			found = a
		}
	}
	return found, nil
}

// aboutAnswer is what the script says.
type aboutAnswer struct {
	Gone, None, Focused, Frame, Submit, Opener, Editable, Secret bool

	Tag, Type, Role, Name, Link, Action, Holds, Personal, PersonalForm string
	Boxes                                                              []string
}

func (w world) ask(ctx context.Context, number int, wanted string, x, y float64) (*aboutAnswer, error) {
	got, err := w.run(ctx, aboutScript, true, value(number), value(wanted), value(x), value(y))
	if err != nil {
		return nil, err
	}
	a := &aboutAnswer{}
	if err := json.Unmarshal(got.Value, a); err != nil {
		return nil, fmt.Errorf("the answer of the page about an element: %w", err)
	}
	return a, nil
}

func (w world) about(ctx context.Context, number int, wanted string, x, y float64) (*About, error) {
	a, err := w.ask(ctx, number, wanted, x, y)
	switch {
	case err != nil:
		return nil, err
	case a.Gone:
		return nil, errGone
	case a.None, wanted == "focus" && (a.Tag == "body" || a.Tag == "html" || !a.Focused):
		return nil, nil
	}
	return &About{
		Role: clean(a.Role, 30), Name: clean(a.Name, 200), Tag: clean(a.Tag, 40), Type: clean(a.Type, 40), URL: w.frame.URL,
		Link: clean(a.Link, 2000), Action: clean(a.Action, 2000), Submit: a.Submit, Opener: a.Opener, Editable: a.Editable, Password: a.Secret, Frame: a.Frame, Holds: clean(a.Holds, 200),
		Personal: clean(a.Personal, 10), PersonalForm: clean(a.PersonalForm, 10),
	}, nil
}

// captchas are the places that tests for people are served from, with what their
// path begins with.
var captchas = []struct{ host, path, name string }{
	{"www.google.com", "/recaptcha/", "reCAPTCHA"},
	{"www.recaptcha.net", "/recaptcha/", "reCAPTCHA"},
	{"recaptcha.google.com", "/", "reCAPTCHA"},
	{"hcaptcha.com", "/", "hCaptcha"},
	{"challenges.cloudflare.com", "/", "Turnstile"},
	{"arkoselabs.com", "/", "FunCaptcha"},
	{"funcaptcha.com", "/", "FunCaptcha"},
	{"geetest.com", "/", "GeeTest"},
	{"captcha-delivery.com", "/", "DataDome"},
}

// CaptchaOf names the test for people that an address belongs to; empty for any
// other. Those that show nothing, and judge by themselves, do not count.
func CaptchaOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.Contains(address, "size=invisible") || strings.Contains(address, "frame=checkbox-invisible") {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	for _, c := range captchas {
		if (host == c.host || strings.HasSuffix(host, "."+c.host)) && strings.HasPrefix(u.Path, c.path) {
			return c.name
		}
	}
	return ""
}

// Captcha names the test for people that the page shows and that is not passed
// yet; empty without one.
func (p *Page) Captcha(ctx context.Context) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return "", err
	}
	for i, f := range frames {
		if i >= maxFrames {
			break
		}
		w, err := p.enter(ctx, f)
		var a *aboutAnswer
		if err == nil {
			a, err = w.ask(ctx, 0, "captcha", 0, 0)
		}
		if err != nil {
			if lost(err) {
				continue
			}
			return "", err
		}
		for _, src := range a.Boxes {
			if name := CaptchaOf(src); name != "" {
				return name, nil
			}
		}
	}
	return "", nil
}

// Failures lists every way that this package fails on purpose.
func Failures() []*capability.Failure {
	return []*capability.Failure{
		BadRef, StaleRef, NotVisible, NotEnabled, NotStill, Covered, NotEditable, BadValue, NoOption, NotSelect, NotCheck, Unchanged, BadKey, BadAct,
		NoForm, Invalid, NotThere, NoPage, PageScript,
	}
}
