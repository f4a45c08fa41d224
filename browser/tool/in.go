package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// An input is the arguments of a call. It is flat: not every provider takes
// schemas that choose between shapes, and models fill in flat ones better. What
// an action needs is checked by [input.check], which shows the right form.
type input struct {
	Action  string  `json:"action" max:"40" jsonschema:"one of: status, doctor, start, stop, open, navigate, back, forward, reload, snapshot, tabs, focus, close, screenshot, act, pdf, console, network, dialog, cookies, storage, upload, download, evaluate"`
	Kind    string  `json:"kind,omitempty" max:"40" jsonschema:"with act, one of: click, double_click, fill, type, press, hover, select, check, drag, scroll, submit, get, wait, click_coords"`
	URL     string  `json:"url,omitempty" max:"16000" jsonschema:"open, navigate, download: the whole address; wait: what the address must contain; cookies: the site meant; network: only what contains this"`
	Ref     string  `json:"ref,omitempty" max:"20" jsonschema:"the element, by its reference in the last snapshot, such as e12"`
	To      string  `json:"to,omitempty" max:"20" jsonschema:"drag: the element to drop on, by its reference"`
	Text    *string `json:"text,omitempty" max:"200000" jsonschema:"fill, type: what to write, empty clears; wait: text to wait for; dialog: the answer to a prompt; console: only what contains this"`
	Secret  string  `json:"secret,omitempty" max:"200" jsonschema:"fill, in place of text: where a password is, such as keyring:github; you never see it"`
	Key     string  `json:"key,omitempty" max:"60" jsonschema:"press: a key such as Enter, Escape, ArrowDown or a, with modifiers as in Control+Shift+K"`
	Submit  bool    `json:"submit,omitempty" jsonschema:"fill, type: press Enter after it"`
	Values  list    `json:"values,omitempty" max:"100" jsonschema:"select: the options to choose, by value or label"`
	Checked *bool   `json:"checked,omitempty" jsonschema:"check: false to take the tick away"`
	Button  string  `json:"button,omitempty" enum:"left,middle,right" jsonschema:"click: the mouse button"`
	With    list    `json:"modifiers,omitempty" max:"4" enum:"Alt,Control,Meta,Shift" jsonschema:"click: keys held down meanwhile"`

	X         *float64 `json:"x,omitempty" min:"0" max:"100000" jsonschema:"click_coords: pixels from the left of the page that is shown, as in a screenshot of it at its own size"`
	Y         *float64 `json:"y,omitempty" min:"0" max:"100000" jsonschema:"click_coords: pixels from its top"`
	Direction string   `json:"direction,omitempty" enum:"up,down,left,right" jsonschema:"scroll: where to; without it ref is brought into view"`
	Amount    int      `json:"amount,omitempty" min:"1" max:"100000" jsonschema:"scroll: pixels; otherwise nearly a screen"`

	What string `json:"what,omitempty" enum:"text,html,value,attribute,title,url" jsonschema:"get: what of the element, or of the page without ref"`
	Name string `json:"name,omitempty" max:"1000" jsonschema:"get: the attribute; cookies, storage: the name of one; pdf, screenshot: the name of the file"`
	Gone string `json:"gone,omitempty" max:"2000" jsonschema:"wait: text that must be gone"`

	Tab     string `json:"tab,omitempty" max:"20" jsonschema:"the tab, such as t2; otherwise the one used last"`
	Profile string `json:"profile,omitempty" max:"64" jsonschema:"whose cookies to use; otherwise the usual ones. attached is the person's own browser"`
	Window  bool   `json:"window,omitempty" jsonschema:"start: show a window, so that the person can sign in or solve a CAPTCHA there"`

	Snapshot    bool   `json:"snapshot,omitempty" jsonschema:"act and everything that changes the page: add what changed on it to the result"`
	Interactive bool   `json:"interactive,omitempty" jsonschema:"snapshot: only what can be used"`
	Diff        bool   `json:"diff,omitempty" jsonschema:"snapshot: only what changed since the last one"`
	Scope       string `json:"scope,omitempty" max:"20" jsonschema:"snapshot: only this element and what is in it, by its reference"`
	Depth       int    `json:"depth,omitempty" min:"1" max:"100" jsonschema:"snapshot: levels at most"`
	Links       bool   `json:"links,omitempty" jsonschema:"snapshot: the addresses of links too"`
	MaxChars    int    `json:"max_chars,omitempty" min:"500" max:"60000" jsonschema:"snapshot, get, evaluate: characters at most"`
	FullPage    bool   `json:"full_page,omitempty" jsonschema:"screenshot: the whole page and not only what is in view"`

	Accept *bool  `json:"accept,omitempty" jsonschema:"dialog: true is OK, false is Cancel"`
	Paths  list   `json:"paths,omitempty" max:"20" jsonschema:"upload: the files"`
	Script string `json:"script,omitempty" max:"100000" jsonschema:"evaluate: JavaScript; the value of its last expression comes back, promises awaited"`
	Op     string `json:"op,omitempty" enum:"get,set,delete,clear" jsonschema:"cookies, storage: what to do; otherwise get"`
	Value  string `json:"value,omitempty" max:"100000" jsonschema:"cookies, storage: what to set"`
	Area   string `json:"area,omitempty" enum:"local,session" jsonschema:"storage: which of the two; otherwise local"`

	Timeout int `json:"timeout_ms,omitempty" min:"100" max:"120000" jsonschema:"how long to wait; otherwise 10000, for loading 30000"`
}

type list = []string

// The actions and the kinds of act, as the schema lists them.
var (
	actionNames = strings.Fields("status doctor start stop open navigate back forward reload snapshot tabs focus close screenshot act pdf console network dialog cookies storage upload download evaluate")
	kindNames   = strings.Fields("click double_click fill type press hover select check drag scroll submit get wait click_coords")
)

// needs are the parameters that an action or a kind of act cannot do without:
// one of each group. Two that begin with a minus sign exclude each other.
var needs = map[string][]string{
	"open": {"url"}, "navigate": {"url"}, "focus": {"tab"}, "close": {"tab"}, "act": {"kind"}, "dialog": {"accept"},
	"upload": {"ref", "paths"}, "download": {"url ref"}, "evaluate": {"script"},

	"click": {"ref"}, "double_click": {"ref"}, "fill": {"ref", "text secret"}, "type": {"text"}, "press": {"key"}, "hover": {"ref"}, "select": {"ref", "values"},
	"check": {"ref"}, "drag": {"ref", "to"}, "scroll": {"direction ref"}, "submit": {"ref"}, "wait": {"text gone url ref"}, "click_coords": {"x", "y"},
}

// samples are values for the forms that errors show.
var samples = map[string]any{
	"url": "https://example.org", "ref": "e12", "to": "e15", "text": "hello", "key": "Enter", "values": []string{"one"}, "x": 200, "y": 120, "tab": "t1",
	"accept": true, "paths": []string{"report.pdf"}, "script": "document.title", "direction": "down", "kind": "click",
}

// form is the right form of a call.
func form(action, kind string) string {
	all := map[string]any{"action": action}
	of := action
	if kind != "" {
		all["kind"], of = kind, kind
	}
	for _, group := range needs[of] {
		name, _, _ := strings.Cut(group, " ")
		all[name] = samples[name]
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return action
	}
	return string(raw)
}

// check reports the first thing that a call lacks or mixes up, with the right
// form.
func (in *input) check() error {
	in.Action, in.Kind = plainWord(in.Action), plainWord(in.Kind)
	if err := in.checkAction(); err != nil {
		return err
	}
	of := in.Action
	if in.Action == "act" {
		of = in.Kind
	}
	given := in.given()
	for _, group := range needs[of] {
		if !slices.ContainsFunc(strings.Fields(group), func(name string) bool { return given[name] }) {
			return badForm.Becausef("%s needs %s", of, strings.ReplaceAll(group, " ", " or ")).Trying("send " + form(in.Action, in.Kind))
		}
	}
	return in.checkMixed()
}

func (in *input) checkAction() error {
	switch {
	case slices.Contains(kindNames, in.Action):
		return badForm.Becausef("%s is no action but a kind of act", in.Action).Trying("send " + form("act", in.Action))
	case !slices.Contains(actionNames, in.Action):
		near := nearest(in.Action, append(slices.Clone(actionNames), kindNames...)...)
		if slices.Contains(kindNames, near) {
			return badForm.Becausef("there is no action %q", in.Action).Trying("the closest is a kind of act: " + form("act", near))
		}
		return badForm.Becausef("there is no action %q; there are %s", in.Action, strings.Join(actionNames, ", ")).Trying("the closest is " + form(near, ""))
	case in.Action != "act" && in.Kind == "":
		return nil
	case in.Action != "act":
		return badForm.Becausef("the action %s has no kind; only act has", in.Action).Trying("leave kind out, or send " + in.meantKind())
	case in.Kind == "":
		return badForm.Becausef("act needs a kind: %s", strings.Join(kindNames, ", ")).Trying("send " + form("act", "click"))
	case slices.Contains(actionNames, in.Kind):
		return badForm.Becausef("%s is no kind of act but an action", in.Kind).Trying("send " + form(in.Kind, ""))
	case !slices.Contains(kindNames, in.Kind):
		near := nearest(in.Kind, kindNames...)
		return badForm.Becausef("there is no kind of act %q; there are %s", in.Kind, strings.Join(kindNames, ", ")).Trying("the closest is " + form("act", near))
	}
	return nil
}

// elsewhere are names that other tools have for the same.
var elsewhere = map[string]string{
	"doubleclick": "double_click", "dblclick": "double_click", "double": "double_click", "goto": "navigate", "visit": "navigate", "go": "navigate", "load": "navigate",
	"input": "fill", "set_value": "fill", "clear": "fill", "send_keys": "type", "keypress": "press", "press_key": "press", "key": "press", "select_option": "select",
	"uncheck": "check", "drag_and_drop": "drag", "wait_for": "wait", "get_text": "get", "text": "get", "go_back": "back", "go_forward": "forward",
	"refresh": "reload", "list_tabs": "tabs", "new_tab": "open", "switch_tab": "focus", "close_tab": "close", "eval": "evaluate", "execute": "evaluate", "run": "evaluate",
	"shot": "screenshot", "view": "snapshot", "read": "snapshot", "accessibility": "snapshot", "file_upload": "upload", "handle_dialog": "dialog",
	"local_storage": "storage", "console_messages": "console", "network_requests": "network", "quit": "stop", "launch": "start",
}

// nearest is the name that comes closest to what was given.
func nearest(given string, names ...string) string {
	if name := elsewhere[strings.TrimPrefix(given, "browser_")]; slices.Contains(names, name) {
		return name
	}
	return capability.Nearest(given, names, 1)[0]
}

// meantKind is the form of the act that a call with another action may mean.
func (in *input) meantKind() string {
	if slices.Contains(kindNames, in.Kind) {
		return form("act", in.Kind)
	}
	return form("act", "click")
}

// checkMixed refuses what cannot both be meant, and what cannot be at all.
func (in *input) checkMixed() error {
	switch {
	case in.Text != nil && in.Secret != "":
		return badForm.Becausef("text and secret are both given, and only one can be typed").Trying("leave one of them out")
	case in.Secret != "" && in.Kind != "fill":
		return badForm.Becausef("a secret is only typed by fill").Trying(`send {"action":"act","kind":"fill","ref":"e12","secret":"keyring:NAME"}`)
	case in.Secret != "" && !strings.HasPrefix(in.Secret, "keyring:"):
		return badForm.Becausef("secret says where the password is, and is never the password itself").Trying("use keyring: and the name of the secret, such as keyring:github; the owner stores it with: hobkin secrets set github")
	case in.What == "attribute" && in.Name == "":
		return badForm.Becausef("get of an attribute needs its name").Trying(`send {"action":"act","kind":"get","ref":"e12","what":"attribute","name":"href"}`)
	case (in.Action == "cookies" || in.Action == "storage") && (in.Op == "set" || in.Op == "delete") && in.Name == "":
		return badForm.Becausef("%s of %s needs a name", in.Op, in.Action).Trying(fmt.Sprintf(`send {"action":%q,"op":%q,"name":"theme","value":"dark"}`, in.Action, in.Op))
	}
	return nil
}

// given tells which parameters have a value.
func (in *input) given() map[string]bool {
	return map[string]bool{
		"url": in.URL != "", "ref": in.Ref != "", "to": in.To != "", "text": in.Text != nil && (*in.Text != "" || in.Kind == "fill"),
		"secret": in.Secret != "", "key": in.Key != "", "values": len(in.Values) > 0, "x": in.X != nil, "y": in.Y != nil,
		"tab": in.Tab != "", "accept": in.Accept != nil, "paths": len(in.Paths) > 0, "script": in.Script != "", "direction": in.Direction != "",
		"gone": in.Gone != "", "kind": in.Kind != "",
	}
}

// words is the text of a call; empty when it has none.
func (in *input) words() string {
	if in.Text == nil {
		return ""
	}
	return *in.Text
}

// plainWord takes off what models put around a word: blanks, capitals and
// dashes for underscores.
func plainWord(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_")
}
