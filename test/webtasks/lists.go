package main

import (
	"regexp"
	"strings"
	"time"
)

func phoneBook(t *task) {
	m := t.match(`Find (\w+) in the contact book and click on their (.*)\.`)
	for range 20 {
		s := t.look()
		if s.named(m[1]) != nil {
			what := strings.ToLower(m[2])
			label := s.find(func(l *line) bool {
				return strings.HasPrefix(strings.ToLower(l.name), what[:4]) && strings.HasSuffix(l.name, ":")
			})
			if label == nil {
				t.lost()
				return
			}
			t.click(s.after(label, "clickable"))
			return
		}
		t.click(s.named(">"))
	}
	t.lost()
}

func searchEngine(t *task) {
	m := t.match(`enter "(.*)" and press "Search", then find and click the (\d+)\w\w search result`)
	s := t.look()
	t.fill(nth(s.of("textbox"), 1), m[1])
	t.button("Search")
	n := number(m[2])
	const aPage = 3
	for page := 1; page < (n+aPage-1)/aPage; page++ {
		t.click(t.until(func(s scene) *line { return s.named(">", "link", "clickable") }))
		t.pause(200 * time.Millisecond)
	}
	results := t.results()
	t.click(nth(results, (n-1)%aPage+1))
}

// results are the links that are no page numbers.
func (t *task) results() (list []line) {
	for _, l := range t.look() {
		if (strings.Contains(l.role, "link") || l.role == "clickable") && l.name != "" && !strings.Contains("<<>>", l.name) && !regexp.MustCompile(`^\d+$`).MatchString(l.name) && !strings.HasPrefix(l.name, "http") {
			list = append(list, l)
		}
	}
	return list
}

// tree opens folders until the name is there.
func tree(t *task) {
	want := t.word()
	opened := map[string]bool{}
	for range 40 {
		s := t.look()
		if l := s.named(want); l != nil && l.ref != s[0].ref {
			t.click(l)
			return
		}
		next := s.find(func(l *line) bool {
			return (strings.HasPrefix(l.role, "-") || l.role == "clickable") && l.name != "" && !opened[l.ref]
		})
		if next == nil {
			break
		}
		opened[next.ref] = true
		t.click(next)
	}
	t.lost()
}

// food presses the plus behind each dish.
func food(t *task) {
	var wanted []string
	if m := regexp.MustCompile(`Order one of each item: (.*)`).FindStringSubmatch(t.say); m != nil {
		wanted = strings.Split(m[1], ", ")
	}
	s := t.look()
	if wanted == nil {
		t.kinds(s)
	}
	for _, dish := range wanted {
		t.plus(s, s.named(dish))
	}
	t.click(t.look().find(func(l *line) bool { return strings.HasPrefix(l.name, "Order") && strings.Contains(l.role, "button") }))
}

// kinds orders so many dishes of a kind, which their pictures tell.
func (t *task) kinds(s scene) {
	m := t.match(`Order (\d+) items? that (?:is|are) (.*)`)
	left := number(m[1])
	var dish *line
	for i := range s {
		switch {
		case s[i].role == "" && s[i].name != "+" && i > 0:
			dish = &s[i]
		case s[i].role == "img" && s[i].name == strings.ReplaceAll(m[2], " ", "-") && left > 0 && dish != nil:
			t.plus(s, dish)
			left--
		}
	}
}

func (t *task) plus(s scene, dish *line) {
	if dish == nil {
		t.lost()
		return
	}
	seen := false
	t.click(s.find(func(l *line) bool {
		seen = seen || l.ref == dish.ref
		return seen && l.name == "+"
	}))
}
