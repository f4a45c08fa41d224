package tool

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// An intent is what one call would do, found out before it is done and again
// when it is.
type intent struct {
	capability.Preview

	about *page.About // the element; nil when none is meant
}

// rank orders effects by what they give away.
var rank = map[capability.Effect]int{"": 0, capability.EffectLook: 1, capability.EffectOpen: 2, capability.EffectUse: 3, capability.EffectEnter: 4, capability.EffectSend: 5}

// covers reports whether an agreement to i is one to what the call would do now.
func (i intent) covers(now intent) bool {
	switch {
	case rank[now.Effect] > rank[i.Effect], now.Alone && !i.Alone:
		return false
	case now.Effect == capability.EffectSend || now.Effect == capability.EffectEnter:
		return hostOf(now.URL) == hostOf(i.URL) && numberless(now.Summary) == numberless(i.Summary)
	}
	return true
}

// numberless leaves out what a page counts up or down while a person thinks.
func numberless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}

// hostOf is the host of an address, with its port; empty when it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// where names the place of an address, for people.
func where(address string) string {
	if h := hostOf(address); h != "" {
		return h
	}
	return "the open page"
}

// preview tells what a call would do, for the person and the rules.
func (h *Host) preview(ctx context.Context, call capability.Call, in input) (capability.Preview, error) {
	if err := in.check(); err != nil {
		return capability.Preview{}, err
	}
	i, err := h.intend(ctx, call, &in)
	if err != nil {
		return capability.Preview{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreed == nil || len(h.agreed) > maxAgreed {
		h.agreed = map[string]intent{}
	}
	h.agreed[call.Turn.Session+"\x00"+call.ID] = i
	return i.Preview, nil
}

// maxAgreed bounds the calls that were told about and never came.
const maxAgreed = 1000

// stands reports whether a call still does what was agreed to.
func (h *Host) stands(call capability.Call, now intent) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := call.Turn.Session + "\x00" + call.ID
	then, told := h.agreed[key]
	delete(h.agreed, key)
	if told && !then.covers(now) {
		return pageChanged.Becausef("what was agreed to is %q on %s; now it would be %q on %s", then.Summary, where(then.URL), now.Summary, where(now.URL))
	}
	return nil
}

// intend finds out what a call would do.
func (h *Host) intend(ctx context.Context, call capability.Call, in *input) (intent, error) {
	profile := h.profile(call, in)
	i, err := h.intendPlain(ctx, call, in)
	if err != nil || profile != Attached {
		return i, err
	}
	return h.inOwnBrowser(call, in, i), nil
}

// inOwnBrowser is stricter where the person is signed in everywhere: the first
// look of a conversation asks, and so does everything that is more than a look.
func (h *Host) inOwnBrowser(call capability.Call, in *input, i intent) intent {
	h.mu.Lock()
	known := h.of(call.Turn.Session).attached
	h.mu.Unlock()
	switch {
	case in.Action == "stop", in.Action == "status", in.Action == "doctor":
	case !known:
		i.Question, i.Effect, i.Alone = "Use your own browser?", capability.EffectSend, true
		i.Warnings = append(i.Warnings, "It can see what you are signed in to, and act as you there.")
	case i.Effect != capability.EffectLook:
		i.Question, i.Effect = "Use your own browser?", capability.EffectSend
	}
	return i
}

func (h *Host) intendPlain(ctx context.Context, call capability.Call, in *input) (intent, error) {
	look := intent{Preview: capability.Preview{Question: "Look at a page in the browser?", Summary: in.Action, Effect: capability.EffectLook}}
	switch in.Action {
	case "open", "navigate":
		return opening("Open a page in the browser?", in.URL), nil
	case "download":
		if in.URL != "" {
			return opening("Download a file in the browser?", in.URL), nil
		}
		return h.downloading(ctx, call, in)
	case "act":
		return h.intendAct(ctx, call, in)
	case "upload":
		return h.uploading(ctx, call, in)
	case "back", "forward", "reload":
		return h.onPage(ctx, call, in, capability.Preview{Question: "Use a web page?", Summary: in.Action, Effect: capability.EffectUse})
	case "dialog":
		return h.answering(ctx, call, in)
	case "cookies", "storage", "evaluate":
		return h.inside(ctx, call, in)
	}
	return look, nil
}

func opening(question, address string) intent {
	address = whole(address)
	return intent{Preview: capability.Preview{Question: question, Summary: address, URL: address, Effect: capability.EffectOpen}}
}

// whole adds the scheme that people leave out: https, and http for what is most
// likely a server of one's own, which has a port or no dot in its name.
func whole(address string) string {
	address = strings.TrimSpace(address)
	host, _, _ := strings.Cut(address, "/")
	name, port, _ := strings.Cut(host, ":")
	number := port != "" && strings.Trim(port, "0123456789") == ""
	switch {
	case address == "", strings.Contains(address, "://"), port != "" && !number:
		return address
	case number && port != "443", !strings.Contains(name, "."):
		return "http://" + address
	}
	return "https://" + address
}

// onPage is something that is done to the page of the tab.
func (h *Host) onPage(ctx context.Context, call capability.Call, in *input, p capability.Preview) (intent, error) {
	_, t, err := h.tab(ctx, call, in)
	if err != nil {
		return intent{}, err
	}
	p.URL = t.Info().URL
	p.Summary += " on " + where(p.URL)
	return intent{Preview: p}, nil
}

func (h *Host) answering(ctx context.Context, call capability.Call, in *input) (intent, error) {
	what := "answer its dialog with Cancel"
	if *in.Accept {
		what = "answer its dialog with OK"
	}
	if in.words() != "" {
		return h.onPage(ctx, call, in, capability.Preview{Question: "Type into a web page?", Summary: what + " and “" + in.words() + "”", Effect: capability.EffectEnter})
	}
	return h.onPage(ctx, call, in, capability.Preview{Question: "Use a web page?", Summary: what, Effect: capability.EffectUse})
}

// inside is what reaches into a page or into what its site has stored. What that
// gives away cannot be told beforehand, so that each such call is agreed to
// alone.
func (h *Host) inside(ctx context.Context, call capability.Call, in *input) (intent, error) {
	question, what := "Read or change what a site stored?", verbs[in.op()]+" the "+in.Action
	switch {
	case in.Action == "evaluate":
		question, what = "Run a script in a web page?", "run "+in.Script
	case in.Name != "":
		what += " “" + in.Name + "”"
	}
	i, err := h.onPage(ctx, call, in, capability.Preview{Question: question, Summary: what, Effect: capability.EffectSend})
	i.Alone = true
	if in.Action == "cookies" && in.URL != "" {
		i.Summary, i.URL = what+" of "+where(in.URL), in.URL
	}
	if in.Action == "cookies" && in.op() == "get" {
		i.Warnings = append(i.Warnings, "Whoever has the cookies of a site may be signed in there.")
	}
	return i, err
}

// verbs say what is done to what a site has stored.
var verbs = map[string]string{"get": "read", "set": "change", "delete": "delete from", "clear": "empty"}

func (in *input) op() string {
	if in.Op == "" {
		return "get"
	}
	return in.Op
}

// downloading is about a click that hands out a file.
func (h *Host) downloading(ctx context.Context, call capability.Call, in *input) (intent, error) {
	i, err := h.onElement(ctx, call, in)
	if err != nil {
		return i, err
	}
	i.weighClick("click")
	if i.Effect == capability.EffectUse {
		i.Question = "Download a file in the browser?"
	}
	return i, nil
}

// uploading is about files that are sent to a page.
func (h *Host) uploading(ctx context.Context, call capability.Call, in *input) (intent, error) {
	i, err := h.onElement(ctx, call, in)
	if err != nil {
		return i, err
	}
	i.Question, i.Effect = "Send files to a web page?", capability.EffectSend
	for _, path := range in.Paths {
		abs, err := h.Policy.Judge(call.Turn, path, sandbox.Read)
		if err != nil {
			return i, err
		}
		i.Paths = append(i.Paths, capability.PathUse{Path: abs})
	}
	i.Summary = count(len(in.Paths), "file") + " to " + i.about.String() + " on " + where(i.URL)
	return i, nil
}

// onElement is about the element that a call names, or that has the focus, or
// lies at its point. It is pressed, unless the caller knows better.
func (h *Host) onElement(ctx context.Context, call capability.Call, in *input) (intent, error) {
	r, t, err := h.tab(ctx, call, in)
	if err != nil {
		return intent{}, err
	}
	p := r.page(t)
	var about *page.About
	switch in.Kind {
	case "click_coords":
		about, err = p.AboutPoint(ctx, *in.X, *in.Y)
	case "fill", "type", "select", "check":
		about, err = p.AboutField(ctx, in.Ref)
	default:
		about, err = p.About(ctx, in.Ref)
	}
	if err != nil {
		return intent{}, explained(t, err)
	}
	if about == nil {
		about = &page.About{Role: "page", URL: t.Info().URL}
	}
	if name := page.CaptchaOf(about.URL); name != "" {
		return intent{}, needsPerson.Becausef("the element belongs to %s, a test for people", name)
	}
	i := intent{about: about}
	i.URL = about.URL
	if !strings.HasPrefix(i.URL, "http") { // about:blank and the like, in the page that made it
		i.URL = t.Info().URL
	}
	return i, nil
}

// explained says that the dialog is what holds things up, when that is so.
func explained(t *browser.Tab, err error) error {
	if d := t.Dialog(); d != nil && !errors.Is(err, browser.DialogOpen) {
		return browser.DialogOpen.Becausef("the page shows a dialog (%s) that says %q", d.Kind, d.Message)
	}
	return err
}

// gentleRoles are of elements that are chosen, opened or moved to by a click; a
// click on any other may make the page send something.
var gentleRoles = strings.Fields("link tab checkbox radio switch option combobox listbox textbox searchbox spinbutton slider treeitem row cell gridcell columnheader rowheader " +
	"heading text paragraph article img image figure label document page generic region list listitem")

// presses reports whether a click on the element may make the page send
// something: a button that is none to open or close something, and what has no
// role that says more.
func presses(a *page.About) bool {
	switch {
	case a.Tag == "html", a.Tag == "body":
		return false
	case a.Submit, a.Frame, a.Holds != "", strings.HasPrefix(strings.ToLower(a.Link), "javascript:"):
		return true
	case a.Opener, a.Link != "":
		return false
	}
	return !slices.Contains(gentleRoles, a.Role)
}
