package main

import (
	"regexp"
	"strings"
)

// mail finds the message of a sender and does what is asked.
func mail(t *task) {
	m := t.match(`(?:by|from) (\w+)`)
	t.click(t.look().named(m[1]))
	t.until(func(s scene) *line {
		return s.find(func(l *line) bool { return strings.Contains(l.like, "close-email") })
	})
	switch {
	case strings.Contains(t.say, "trash"):
		t.icon("trash")
	case strings.Contains(t.say, "star"):
		t.icon("star")
	case strings.Contains(t.say, "reply"):
		t.icon("reply")
		t.fill(t.until(func(s scene) *line {
			return s.find(func(l *line) bool { return strings.Contains(l.role, "textbox") && strings.Contains(l.like, "reply") })
		}), t.word())
		t.icon("send")
	default:
		to := t.match(`(?:to|send to|forward that email to|forward it to) (\w+)\.$`)[1]
		t.icon("forward")
		t.fill(t.until(func(s scene) *line {
			return s.find(func(l *line) bool { return strings.Contains(l.role, "textbox") && strings.Contains(l.like, "forward") })
		}), to)
		t.icon("send")
	}
}

// icon clicks what has only a picture, known by its looks.
func (t *task) icon(name string) {
	t.click(t.until(func(s scene) *line {
		return s.find(func(l *line) bool {
			return !strings.Contains(l.role, "textbox") && (strings.Contains(l.like, name) || strings.EqualFold(l.name, name)) && l.role != ""
		})
	}))
}

// social presses icons below the posts of a person, or a line of the menu there.
func social(t *task) {
	var user, what string
	most := 1000
	if m := regexp.MustCompile(`For the user (@\w+), click on the "(.*)" button`).FindStringSubmatch(t.say); m != nil {
		user, what = m[1], m[2]
	} else {
		m := t.match(`Click the "(.*)" button on (all|\d+) posts? by (@\w+)`)
		what, user = m[1], m[3]
		if m[2] != "all" {
			most = number(m[2])
		}
	}
	icons := t.below(user, what)
	if len(icons) == 0 {
		t.click(nth(t.below(user, "more"), 1))
		icons = t.below(user, what)
	}
	if len(icons) == 0 {
		t.lost()
	}
	for i := range icons[:min(len(icons), most)] {
		t.click(&icons[i])
	}
	if !strings.HasPrefix(t.say, "For the user") {
		t.submit()
	}
}

var userName = regexp.MustCompile(`@\w+`)

// below lists what can be used below the posts of a person and is called so, or
// looks so.
func (t *task) below(user, what string) (list []line) {
	mine := false
	for i, l := range t.look() {
		usable := l.role != "" && l.role != "list" && !strings.HasPrefix(l.role, "h")
		if at := userName.FindString(l.name); at != "" && i > 0 && !usable {
			mine = at == user
		}
		if mine && usable && (strings.HasPrefix(l.name, what) || strings.TrimPrefix(l.like, ".") == strings.ToLower(what)) {
			list = append(list, l)
		}
	}
	return list
}
