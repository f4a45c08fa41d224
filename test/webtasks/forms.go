package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func enterDate(t *task) {
	m := t.match(`(\d+)/(\d+)/(\d+)`)
	field := t.look().find(func(l *line) bool { return l.role == "date" || l.role == "textbox" })
	if field != nil && field.role == "date" {
		t.fill(field, fmt.Sprintf("%s-%s-%s", m[3], m[1], m[2]))
	} else {
		t.fill(field, m[0])
	}
	t.submit()
}

func enterTime(t *task) {
	m := t.match(`(\d+):(\d+) ([AP]M)`)
	hour := number(m[1]) % 12
	if m[3] == "PM" {
		hour += 12
	}
	t.fill(t.look().find(func(l *line) bool { return l.role == "time" }), fmt.Sprintf("%02d:%s", hour, m[2]))
	t.submit()
}

func enterPassword(t *task) {
	boxes := t.look().of("textbox")
	t.fill(nth(boxes, 1), t.word())
	t.fill(nth(boxes, 2), t.word())
	t.submit()
}

func enterCase(t *task) {
	text := strings.ToLower(t.word())
	if strings.Contains(t.say, "upper case") {
		text = strings.ToUpper(text)
	}
	t.fill(nth(t.look().of("textbox"), 1), text)
	t.submit()
}

func findWord(t *task) {
	s := t.look()
	n := number(t.match(`the (\d+\w\w) word`)[1])
	var text []string
	for _, l := range s {
		if l.role == "" && l.name != t.say && !strings.HasPrefix(t.say, l.name) {
			text = append(text, strings.Fields(l.name)...)
		}
	}
	if n < 1 || n > len(text) {
		t.lost()
		return
	}
	t.fill(nth(s.of("textbox"), 1), strings.Trim(text[n-1], ".,"))
	t.submit()
}

func formSequence2(t *task) {
	s := t.look()
	m := t.match(`Check the (\d\w\w) radio button and enter the number "(-?\d+)" into the (\d\w\w) textbox`)
	t.click(nth(s.of("radio"), number(m[1])))
	t.fill(nth(s.of("textbox"), number(m[3])), m[2])
	t.submit()
}

// formSequence3 has a list drawn by the page: the real one is behind it.
func formSequence3(t *task) {
	m := t.match(`Choose (.*) from the dropdown, then click the button labeled "(.*)"`)
	if list := t.look().named(m[1], "clickable", "option", "-"); list != nil {
		t.click(list)
	} else {
		t.click(t.look().find(func(l *line) bool { return l.role == "clickable" }))
		t.click(t.until(func(s scene) *line { return s.named(m[1], "clickable", "option", "-") }))
	}
	t.button(m[2])
}

// login types name and password. A box may come over the page at any time; it
// is closed, and what was typed is looked at again.
func login(t *task) {
	w := t.words()
	if len(w) < 2 {
		t.lost()
		return
	}
	for range 4 {
		if no := t.look().named("Cancel", "button"); no != nil {
			t.click(no)
		}
		s := t.look()
		boxes := s.of("textbox")
		t.try(func() { t.fill(nth(boxes, 1), w[0]) })
		t.try(func() { t.fill(nth(boxes, 2), w[1]) })
		s = t.look()
		boxes = s.of("textbox")
		if len(boxes) > 1 && boxes[0].value == w[0] && boxes[1].value != "" && s.named("Cancel", "button") == nil {
			break
		}
	}
	t.click(nth(t.look().of("button"), 1))
}

// try does what may fail, because the page moved meanwhile.
func (t *task) try(do func()) {
	if t.err == nil {
		do()
		t.err = nil
	}
}

// movies fills a form whose fields stand in another order and wording each time.
func movies(t *task) {
	m := t.match(`Search for (.*) movies directed by (.*) from year (\d+)`)
	for _, field := range []struct{ words, text string }{{"Genre|Category|Type", m[1]}, {"Director|By|Name", m[2]}, {"Year|When|Date", m[3]}} {
		s := t.look()
		re := regexp.MustCompile(`(?i)` + field.words)
		box := s.find(func(l *line) bool {
			return strings.Contains(l.role, "textbox") && (re.MatchString(l.name) || re.MatchString(l.like))
		})
		if box == nil {
			box = t.labelled(s, re)
		}
		t.fill(box, field.text)
	}
	t.click(t.look().find(func(l *line) bool {
		return (l.name == "Search" || l.name == "Submit" || l.name == "Go!" || l.name == "Go") && (l.role == "clickable" || strings.Contains(l.role, "button"))
	}))
}

// labelled is the field beside a text: behind it, or in front of it where the
// form begins with a field.
func (t *task) labelled(s scene, re *regexp.Regexp) *line {
	label := s.find(func(l *line) bool {
		return !strings.HasPrefix(t.say, l.name) && re.MatchString(l.name) && !strings.Contains(l.role, "textbox")
	})
	if label == nil {
		return nil
	}
	first := s.find(func(l *line) bool { return strings.Contains(l.role, "textbox") })
	firstLabel := s.find(func(l *line) bool {
		return !strings.HasPrefix(t.say, l.name) && regexp.MustCompile(`(?i)genre|director|year`).MatchString(l.name)
	})
	if first == nil || firstLabel == nil {
		return nil
	}
	if slices.IndexFunc(s, func(l line) bool { return l.ref == first.ref }) > slices.IndexFunc(s, func(l line) bool { return l.ref == firstLabel.ref }) {
		return s.after(label, "textbox")
	}
	var before *line
	for i := range s {
		if s[i].ref == label.ref {
			return before
		}
		if strings.Contains(s[i].role, "textbox") {
			before = &s[i]
		}
	}
	return nil
}

func oddOrEven(t *task) {
	s := t.look()
	for i := range s {
		if s[i].role != "" || s[i].name == "" || !regexp.MustCompile(`^-?\d+$`).MatchString(s[i].name) || i == 0 || i+1 >= len(s) {
			continue
		}
		if number(s[i].name)%2 == 0 {
			t.click(s.after(&s[i], "button"))
		} else {
			t.click(&s[i-1])
		}
	}
	t.submit()
}

func readTable(t *task) {
	s := t.look()
	var labels []string
	if m := regexp.MustCompile(`Enter the value of (.*) into the text field`).FindStringSubmatch(t.say); m != nil {
		labels = []string{m[1]}
	} else {
		for _, l := range s {
			if name, ok := strings.CutSuffix(l.name, ":"); ok && s.named(name) != nil {
				labels = append(labels, name)
			}
		}
	}
	for i, label := range labels {
		at := s.named(label)
		if at == nil {
			t.lost()
			return
		}
		var value *line
		for j := range s {
			if s[j].ref == at.ref && j+1 < len(s) {
				value = &s[j+1]
			}
		}
		if value == nil {
			t.lost()
			return
		}
		t.fill(nth(s.of("textbox"), i+1), value.name)
	}
	t.submit()
}

func lastWord(t *task) {
	boxes := t.look().of("textbox")
	words := strings.Fields(t.value(nth(boxes, 1)))
	if len(words) == 0 {
		t.lost()
		return
	}
	t.fill(nth(boxes, 2), strings.TrimRight(words[len(words)-1], "."))
	t.submit()
}

func transformed(t *task) {
	s := t.look()
	var text strings.Builder
	for _, l := range s[1:] {
		if strings.Contains(l.role, "textbox") {
			break
		}
		text.WriteString(l.name)
	}
	t.fill(nth(s.of("textbox"), 1), text.String())
	t.submit()
}

// autocomplete types a start and takes what is offered.
func autocomplete(t *task) {
	w := t.words()
	if len(w) == 0 {
		t.lost()
		return
	}
	field := nth(t.look().of("textbox"), 1)
	t.fill(field, "")
	t.act("type", field, map[string]any{"text": w[0]})
	end := ""
	if len(w) > 1 {
		end = w[1]
	}
	t.click(t.until(func(s scene) *line {
		return s.find(func(l *line) bool {
			return (strings.Contains(l.role, "menuitem") || strings.Contains(l.role, "option") || strings.HasPrefix(l.role, "-")) &&
				strings.HasPrefix(l.name, w[0]) && strings.HasSuffix(l.name, end)
		})
	}))
	t.submit()
}
