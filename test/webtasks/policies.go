package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// policies are what to do on each page.
var policies = map[string]func(*task){
	"button-delay": func(t *task) {
		t.button("ONE")
		t.pause(time.Duration(number(t.match(`wait (\d+) seconds`)[1])) * time.Second)
		t.button("TWO")
	},
	"buy-ticket":                  buyTicket,
	"choose-date":                 chooseDate,
	"choose-date-easy":            chooseDate,
	"choose-date-medium":          chooseDate,
	"choose-date-nodelay":         chooseDate,
	"choose-list":                 chooseList,
	"click-button":                func(t *task) { t.button(t.word()) },
	"click-button-sequence":       func(t *task) { t.button("ONE"); t.button("TWO") },
	"click-checkboxes":            clickBoxes,
	"click-checkboxes-large":      clickBoxes,
	"click-checkboxes-transfer":   clickBoxes,
	"click-collapsible":           collapsible,
	"click-collapsible-nodelay":   collapsible,
	"click-collapsible-2":         sections,
	"click-collapsible-2-nodelay": sections,
	"click-dialog":                func(t *task) { t.button("Close") },
	"click-dialog-2":              dialog,
	"click-link":                  func(t *task) { t.click(t.look().named(t.word(), "link", "clickable")) },
	"click-menu":                  menu,
	"click-option": func(t *task) {
		t.click(t.look().named(t.match(`Select (.*) and click Submit`)[1], "radio"))
		t.submit()
	},
	"click-scroll-list":        chooseList,
	"click-tab":                func(t *task) { t.click(t.look().named(t.match(`Click on (Tab #\d)`)[1], "tab")) },
	"click-tab-2":              tabs,
	"click-tab-2-easy":         tabs,
	"click-tab-2-hard":         tabs,
	"click-tab-2-medium":       tabs,
	"click-test":               func(t *task) { t.button("Click Me!") },
	"click-test-2":             func(t *task) { t.button("ONE") },
	"click-test-transfer":      func(t *task) { t.button("ONE") },
	"click-widget":             widget,
	"copy-paste":               copyText,
	"copy-paste-2":             copyText,
	"drag-sort-numbers":        sortNumbers,
	"email-inbox":              mail,
	"email-inbox-delete":       mail,
	"email-inbox-forward":      mail,
	"email-inbox-important":    mail,
	"email-inbox-noscroll":     mail,
	"email-inbox-reply":        mail,
	"email-inbox-star-reply":   mail,
	"enter-date":               enterDate,
	"enter-password":           enterPassword,
	"enter-text":               func(t *task) { t.fill(nth(t.look().of("textbox"), 1), t.word()); t.submit() },
	"enter-text-2":             enterCase,
	"enter-text-dynamic":       func(t *task) { t.fill(nth(t.look().of("textbox"), 1), t.word()); t.submit() },
	"enter-time":               enterTime,
	"find-word":                findWord,
	"focus-text":               func(t *task) { t.click(nth(t.look().of("textbox"), 1)) },
	"focus-text-2":             func(t *task) { t.click(nth(t.look().of("textbox"), number(t.match(`the (\d+\w\w) input`)[1]))) },
	"form-sequence-2":          formSequence2,
	"form-sequence-3":          formSequence3,
	"guess-number":             guess,
	"login-user":               login,
	"login-user-popup":         login,
	"multi-layouts":            movies,
	"multi-orderings":          movies,
	"navigate-tree":            tree,
	"odd-or-even":              oddOrEven,
	"order-food":               food,
	"phone-book":               phoneBook,
	"read-table":               readTable,
	"read-table-2":             readTable,
	"scroll-text":              lastWord,
	"search-engine":            searchEngine,
	"simple-algebra":           algebra,
	"simple-arithmetic":        arithmetic,
	"social-media":             social,
	"social-media-all":         social,
	"social-media-some":        social,
	"text-transform":           transformed,
	"unicode-test":             func(t *task) { t.button(t.word()) },
	"use-autocomplete":         autocomplete,
	"use-autocomplete-nodelay": autocomplete,
	"use-slider":               sliders,
	"use-slider-2":             sliders,
	"use-spinner":              func(t *task) { t.fill(nth(t.look().of("spinbutton"), 1), t.match(`Select (-?\d+)`)[1]); t.submit() },
}

// names of all tasks, in order.
func names() []string { return slices.Sorted(maps.Keys(policies)) }

// buyTicket compares what stands before the buttons, or on them.
func buyTicket(t *task) {
	var best *line
	var bestWorth, minutes int
	sign := 1
	if strings.Contains(t.say, "longest") {
		sign = -1
	}
	s := t.look()
	for i := range s {
		var h, m, dollars int
		if _, err := fmt.Sscanf(s[i].name, "%dh %dm", &h, &m); err == nil {
			minutes = h*60 + m
		}
		if _, err := fmt.Sscanf(s[i].name, "Book for $%d", &dollars); err != nil {
			continue
		}
		worth := sign * minutes
		switch {
		case strings.Contains(t.say, "cheapest"):
			worth = dollars
		case strings.Contains(t.say, "most expensive"):
			worth = -dollars
		}
		if best == nil || worth < bestWorth {
			best, bestWorth = &s[i], worth
		}
	}
	t.click(best)
}

var monthNames = strings.Fields("January February March April May June July August September October November December")

// chooseDate turns the pages of a calendar.
func chooseDate(t *task) {
	m := t.match(`(\d+)/(\d+)/(\d+)`)
	month, day := number(m[1]), number(strings.TrimLeft(m[2], "0"))
	t.click(nth(t.look().of("textbox"), 1))
	for range 14 {
		var s scene
		t.until(func(now scene) *line { s = now; return now.find(func(l *line) bool { return shownMonth(l) > 0 }) })
		at := s.find(func(l *line) bool { return shownMonth(l) > 0 })
		if at == nil {
			t.lost()
			return
		}
		switch shown := shownMonth(at); {
		case shown == month:
			t.click(s.find(func(l *line) bool {
				return l.name == strconv.Itoa(day) && (strings.Contains(l.role, "link") || strings.Contains(l.role, "clickable"))
			}))
			t.submit()
			return
		case shown > month:
			t.click(s.find(func(l *line) bool { return strings.HasPrefix(l.name, "Prev") }))
		default:
			t.click(s.find(func(l *line) bool { return strings.HasPrefix(l.name, "Next") }))
		}
	}
	t.lost()
}

func shownMonth(l *line) int {
	for i, name := range monthNames {
		if strings.HasPrefix(l.name, name) {
			return i + 1
		}
	}
	return 0
}

func chooseList(t *task) {
	s := t.look()
	of := s.find(func(l *line) bool { return len(l.options) > 0 })
	t.choose(of, strings.Split(t.match(`Select (.*) from the (?:scroll )?list`)[1], ", ")...)
	t.submit()
}

func clickBoxes(t *task) {
	s := t.look()
	if want := t.match(`Select (.*) and click Submit`)[1]; want != "nothing" {
		for name := range strings.SplitSeq(want, ", ") {
			t.click(s.named(name, "checkbox"))
		}
	}
	t.submit()
}

// collapsible opens a section to get at its button.
func collapsible(t *task) {
	t.click(nth(t.look().of("tab"), 1))
	t.click(t.until(func(s scene) *line { return s.named("Submit", "button") }))
}

// sections opens one after the other until the link is there.
func sections(t *task) {
	want := t.word()
	for i := range t.look().of("tab") {
		tab := nth(t.look().of("tab"), i+1)
		if tab != nil && !tab.is("expanded") {
			t.click(tab)
			t.pause(500 * time.Millisecond) // it slides open
		}
		if l := t.look().named(want, "link", "clickable"); l != nil {
			t.click(l)
			return
		}
	}
	t.lost()
}

func dialog(t *task) {
	want := t.word()
	if want == "x" {
		want = "Close"
	}
	t.button(want)
}

// menu goes down a menu, an item a level.
func menu(t *task) {
	path := strings.Split(t.match(`Select (.*)`)[1], ">")
	for i, name := range path {
		item := t.until(func(s scene) *line { return s.named(name, "menuitem") })
		if i < len(path)-1 {
			t.hover(item)
			continue
		}
		t.click(item)
	}
}

// tabs looks behind each tab for the link.
func tabs(t *task) {
	want := t.word()
	for i := range t.look().of("tab") {
		s := t.look()
		if l := s.named(want, "clickable"); l != nil {
			t.click(l)
			return
		}
		t.click(nth(s.of("tab"), i+1))
		if l := t.look().named(want, "clickable"); l != nil {
			t.click(l)
			return
		}
	}
	t.lost()
}

func widget(t *task) {
	s := t.look()
	role := map[string]string{"textarea": "textbox", "text": "textbox", "radio": "radio", "checkbox": "checkbox", "button": "button"}[t.word()]
	list := s.of(role)
	if role != "textbox" {
		t.click(nth(list, 1))
		return
	}
	// Only its element tells a field of one line from one of several.
	for i := range list {
		html := t.call(map[string]any{"action": "act", "kind": "get", "ref": list[i].ref, "what": "html"})
		if strings.Contains(html, "<textarea") == (t.word() == "textarea") {
			t.click(&list[i])
			return
		}
	}
	t.lost()
}

var ordinal = regexp.MustCompile(`(\d+)(?:st|nd|rd|th) text area`)

// copyText copies from a field with text to the one without.
func copyText(t *task) {
	boxes := t.look().of("textbox")
	full := slices.DeleteFunc(slices.Clone(boxes), func(l line) bool { return l.value == "" })
	empty := slices.DeleteFunc(boxes, func(l line) bool { return l.value != "" })
	from := 1
	if m := ordinal.FindStringSubmatch(t.say); m != nil {
		from = number(m[1])
	}
	t.fill(nth(empty, 1), t.value(nth(full, from)))
	t.submit()
}

// value is the whole value of a field.
func (t *task) value(l *line) string {
	if l == nil {
		t.lost()
		return ""
	}
	return t.call(map[string]any{"action": "act", "kind": "get", "ref": l.ref, "what": "value"})
}

func sortNumbers(t *task) {
	for range 12 {
		s := t.look()
		items := s.of("-")
		sorted := slices.IsSortedFunc(items, byNumber)
		if sorted {
			break
		}
		for i := 1; i < len(items); i++ { // take one to its place
			if at := slices.IndexFunc(items[:i], func(o line) bool { return byNumber(o, items[i]) > 0 }); at >= 0 {
				t.drag(&items[i], &items[at])
				break
			}
		}
	}
	t.submit()
}

func byNumber(a, b line) int { return cmp.Compare(number(a.name), number(b.name)) }
