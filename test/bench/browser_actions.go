package main

import "fmt"

// An act is one of the actions that both browsers do.
type act struct {
	kind  string
	label string // of the element, as both write it: role and name
	value string
}

// actions are the forty that are measured.
func actions(url string) (list []act) {
	many := func(kind, label string, n int, value string) {
		for i := 1; i <= n; i++ {
			list = append(list, act{kind, fmt.Sprintf(label, i), value})
		}
	}
	list = append(list, act{"open", "", url + smallPage}, act{"snapshot small", "", ""})
	many("click", `button "Press %d"`, 6, "")
	many("fill", `textbox "Field %d"`, 5, "tide tables")
	for _, key := range []string{"Escape", "ArrowLeft", "End", "Home"} { // in the last field
		list = append(list, act{"press", "", key})
	}
	many("select", `combobox "List %d"`, 3, "Two")
	many("check", `checkbox "Box %d"`, 3, "")
	many("hover", `button "Over %d"`, 2, "")
	list = append(list, act{"snapshot small, again", "", ""})
	return append(list, act{"click", `button "Fetch"`, ""}, act{"wait", "", "Here it is"},
		act{"new tab", "", url + nextPage}, act{"tabs", "", ""}, act{"focus", "", ""}, act{"close", "", ""},
		act{"open", "", url + nextPage}, act{"back", "", ""}, act{"open", "", url + largePage}, act{"snapshot large", "", ""},
		act{"click", `button "Buy 250"`, ""}, act{"snapshot large, again", "", ""}, act{"click", `button "Buy 400"`, ""}, act{"screenshot", "", ""})
}

type args = map[string]any

// looks are the actions after which the reference server takes a snapshot by
// itself. Ours is told to, so that both do the same work, and a snapshot that is
// asked for afterwards finds the same page.
var looks = map[string]bool{"open": true, "new tab": true, "back": true, "click": true, "select": true, "check": true, "hover": true, "wait": true}

// ours is an action as our tool takes it. first is the tab that the round began
// in, and last the one that it opened.
func (a act) ours(ref, first, last string) (tool string, in args) {
	in = args{"action": "act", "kind": a.kind}
	if ref != "" {
		in["ref"] = ref
	}
	switch a.kind {
	case "open":
		in = args{"action": "navigate", "url": a.value}
	case "new tab":
		in = args{"action": "open", "url": a.value}
	case "snapshot small", "snapshot large", "snapshot small, again", "snapshot large, again":
		in = args{"action": "snapshot", "max_chars": 60000}
	case "tabs", "back", "screenshot":
		in = args{"action": a.kind}
	case "focus":
		in = args{"action": "focus", "tab": first}
	case "close":
		in = args{"action": "close", "tab": last}
	case "fill", "wait":
		in["text"] = a.value
	case "press":
		in["key"] = a.value
	case "select":
		in["values"] = []string{a.value}
	}
	if looks[a.kind] {
		in["snapshot"] = true
	}
	return "browser", in
}

// theirs is an action as the reference server takes it.
func (a act) theirs(ref, _, _ string) (tool string, in args) {
	in = args{}
	if ref != "" {
		in["element"], in["target"] = a.label, ref
	}
	switch a.kind {
	case "open":
		return "browser_navigate", args{"url": a.value}
	case "new tab":
		return "browser_tabs", args{"action": "new", "url": a.value}
	case "snapshot small", "snapshot large", "snapshot small, again", "snapshot large, again":
		return "browser_snapshot", in
	case "tabs":
		return "browser_tabs", args{"action": "list"}
	case "focus":
		return "browser_tabs", args{"action": "select", "index": 0}
	case "close":
		return "browser_tabs", args{"action": "close", "index": 1}
	case "back":
		return "browser_navigate_back", in
	case "screenshot":
		return "browser_take_screenshot", args{"type": "png"}
	case "wait":
		return "browser_wait_for", args{"text": a.value}
	case "fill":
		in["text"] = a.value
		return "browser_type", in
	case "press":
		return "browser_press_key", args{"key": a.value}
	case "select":
		in["values"] = []string{a.value}
		return "browser_select_option", in
	case "hover":
		return "browser_hover", in
	}
	return "browser_click", in // also what ticks a box
}
