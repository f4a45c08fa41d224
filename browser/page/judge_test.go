package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// axNode is an element as the browser's own accessibility tree has it.
type axNode struct {
	Ignored bool `json:"ignored"`
	Role    struct {
		Value string `json:"value"`
	} `json:"role"`
	Name struct {
		Value string `json:"value"`
	} `json:"name"`
	Backend    int64 `json:"backendDOMNodeId"`
	Properties []struct {
		Name  string `json:"name"`
		Value struct {
			Value any `json:"value"`
		} `json:"value"`
	} `json:"properties"`
}

// states are the browser's properties of an element as our words.
func (n axNode) states() []string {
	words := map[string]string{
		"disabled true": "disabled", "checked true": "checked", "checked mixed": "mixed", "expanded true": "expanded", "expanded false": "collapsed",
		"selected true": "selected", "required true": "required", "pressed true": "pressed", "pressed mixed": "half pressed", "pressed false": "not pressed",
	}
	var list []string
	for _, p := range n.Properties {
		if w := words[fmt.Sprint(p.Name, " ", p.Value.Value)]; w != "" {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// judgedStates are those states that both sides have.
var judgedStates = []string{"disabled", "checked", "mixed", "expanded", "collapsed", "selected", "required", "pressed", "half pressed", "not pressed"}

// axRoles are the names that the browser has for roles of its own, and what we
// call them; empty for what has no role with us.
var axRoles = map[string]string{
	"generic": "", "none": "", "image": "img", "DisclosureTriangle": "summary", "DisclosureTriangleGrouped": "summary", "Details": "group", "Date": "date",
	"InputTime": "time", "DateTime": "datetime", "ColorWell": "color", "LabelText": "", "Legend": "", "Figcaption": "", "Iframe": "iframe", "Canvas": "canvas",
	"Video": "video", "Audio": "audio", "Abbr": "", "Pre": "", "SvgRoot": "", "Section": "", "DescriptionList": "", "DescriptionListTerm": "term",
	"DescriptionListDetail": "definition", "LayoutTable": "", "LayoutTableRow": "", "LayoutTableCell": "", "MenuListOption": "option", "MenuListPopup": "",
	"sectionfooter": "", "sectionheader": "", "time": "", "EmbeddedObject": "embed", "PluginObject": "embed", "mark": "mark", "HeaderAsNonLandmark": "", "FooterAsNonLandmark": "", "MathMLMath": "math", "MathMLIdentifier": "",
}

// unjudged are nodes of the browser's tree that are no elements.
var unjudged = map[string]bool{"RootWebArea": true, "StaticText": true, "InlineTextBox": true, "ListMarker": true, "LineBreak": true, "MenuListPopup": true, "": true}

// A verdict counts how a page's roles and names compare with the browser's.
type verdict struct {
	elements, usable, parts      int
	roles, names, states, missed []string // that differ
}

// compare judges every element that the browser's tree has.
func compare(tb testing.TB, tab *testTab) verdict {
	tb.Helper()
	ctx := background(tb)
	frames, err := tab.Frames(ctx)
	must(tb, err)
	p := New(tab)
	w, err := p.enter(ctx, frames[0])
	must(tb, err)
	must(tb, w.install(ctx))
	var tree struct {
		Nodes []axNode `json:"nodes"`
	}
	must(tb, w.frame.Session.Call(ctx, "Accessibility.getFullAXTree", nil, &tree))
	p.mu.Lock()
	r, err := p.read(ctx, 0, false)
	p.mu.Unlock()
	must(tb, err)
	var v verdict
	for _, n := range tree.Nodes {
		if n.Ignored || n.Backend == 0 || unjudged[n.Role.Value] {
			continue
		}
		v.judge(ctx, tb, w, r.tree, n)
	}
	return v
}

func (v *verdict) judge(ctx context.Context, tb testing.TB, w world, t *tree, n axNode) {
	tb.Helper()
	id, err := w.resolve(ctx, n.Backend)
	must(tb, err)
	got, err := w.invoke(`function(el) {
		if (!(el instanceof Element)) return null;
		const root = el.getRootNode();
		const inside = root instanceof ShadowRoot && ['INPUT', 'VIDEO', 'SELECT', 'DETAILS', 'METER', 'PROGRESS'].includes(root.host.tagName); // the browser's own
		if (inside) return null;
		const said = JSON.parse(globalThis.hobkin.judge(el));
		return JSON.stringify({ ...said, parts: el.querySelector('form,article,aside,nav,main,header,fieldset,blockquote,figure,[role]') !== null })
	}`, true, object(id))(ctx)
	must(tb, err)
	var text string
	if got.Subtype == "null" {
		return // text, or what a style sheet adds
	}
	must(tb, json.Unmarshal(got.Value, &text))
	var ours struct {
		Role, Name, Tag string
		States          []string
		Ref             int
		Parts           bool // forms, articles and the like in it
	}
	must(tb, json.Unmarshal([]byte(text), &ours))
	v.elements++
	role, special := axRoles[n.Role.Value]
	if !special {
		role = n.Role.Value
	}
	what := fmt.Sprintf("%s: browser %s %q, ours %s %q", ours.Tag, n.Role.Value, n.Name.Value, ours.Role, ours.Name)
	switch {
	case ours.Role == "none":
		ours.Role = ""
	case ours.Role == "file":
		ours.Role, ours.Name = role, n.Name.Value // a button with the file's name, to the browser
	}
	if ours.Role != role {
		v.roles = append(v.roles, what)
		return
	}
	v.judgeUse(t, role, ours.Ref, what)
	theirs, own := n.states(), slices.DeleteFunc(ours.States, func(s string) bool { return !slices.Contains(judgedStates, s) })
	slices.Sort(own)
	if ours.Tag == "select" {
		theirs = slices.DeleteFunc(theirs, func(s string) bool { return s == "collapsed" }) // a list that drops down is so by nature
	}
	if ours.Tag == "video" {
		return // it cannot play, and is named by that
	}
	if !slices.Equal(theirs, own) && role != "" {
		v.states = append(v.states, fmt.Sprintf("%s: browser %v, ours %v", what, theirs, own))
	}
	switch {
	case role == "" || normal(ours.Name) == normal(n.Name.Value):
	case ours.Parts && strings.HasPrefix(normal(ours.Name), normal(n.Name.Value)):
		// The browser leaves parts such as a form in a cell out of a name that is made
		// of content; the rules for names do not, and nor do we.
		v.parts++
	default:
		v.names = append(v.names, what)
	}
}

// judgeUse holds the snapshot to having a line for everything that can be used.
func (v *verdict) judgeUse(t *tree, role string, ref int, what string) {
	if !usableRoles[role] {
		return
	}
	v.usable++
	if in := t.byRef[ref]; in == nil || in.Usable == 0 {
		v.missed = append(v.missed, what)
	}
}

// usableRoles are the roles of controls; cells of grids are controls only if they
// can be chosen.
var usableRoles = func() map[string]bool {
	m := map[string]bool{}
	for r := range strings.FieldsSeq("button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio radio searchbox slider spinbutton switch tab textbox treeitem date time color file summary") {
		m[r] = true
	}
	return m
}()

// normal is a name without differences of blanks and length.
func normal(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 0xe000 && r <= 0xf8ff {
			return ' '
		}
		return r
	}, s)
	return firstRunes(strings.Join(strings.Fields(clean(s, maxNumber)), " "), 250)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// add sums verdicts up.
func (v *verdict) add(other verdict) {
	v.elements += other.elements
	v.usable += other.usable
	v.parts += other.parts
	v.states = append(v.states, other.states...)
	v.missed = append(v.missed, other.missed...)
	v.roles = append(v.roles, other.roles...)
	v.names = append(v.names, other.names...)
}

func (v verdict) String() string {
	return fmt.Sprintf("%d elements: %d roles, %d names and %d states differ (and %d names by a part); %d controls: %d are not in the snapshot",
		v.elements, len(v.roles), len(v.names), len(v.states), v.parts, v.usable, len(v.missed))
}
