package main

import (
	"regexp"
	"slices"
	"strings"
)

// A line is one element of a snapshot, as the tool writes it.
type line struct {
	level   int
	role    string // empty for plain text
	name    string
	value   string
	like    string
	ref     string
	options []string
	states  []string
	text    string // the whole line
}

// A scene is a snapshot taken apart.
type scene []line

var (
	refWord  = regexp.MustCompile(`(?:^|\s)(e\d+)(?:\s|$)`)
	quotedIn = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// parse reads a snapshot. Lines without a reference are none of the page's.
func parse(snapshot string) (s scene) {
	for raw := range strings.Lines(snapshot) {
		raw = strings.TrimRight(raw, "\r\n")
		text := strings.TrimLeft(raw, " ")
		at := refWord.FindStringSubmatchIndex(masked(text))
		if at == nil {
			continue
		}
		l := line{level: len(raw) - len(text), ref: text[at[2]:at[3]], text: text}
		l.head(text[:at[0]])
		l.tail(text[at[3]:])
		s = append(s, l)
	}
	return s
}

// masked is a line with what the page says in it made unreadable.
func masked(text string) string {
	return quotedIn.ReplaceAllStringFunc(text, func(q string) string { return `"` + strings.Repeat("_", len(q)-2) + `"` })
}

// head is what stands before the reference: role, name and value.
func (l *line) head(head string) {
	if at := strings.Index(masked(head), "= "); at >= 0 {
		head, l.value = head[:at], unquote(head[at+2:])
	}
	role, name, named := strings.Cut(head, `"`)
	l.role = strings.TrimSpace(role)
	if named {
		l.name = unquote(`"` + name)
	}
}

// tail is what stands behind it: a hint of its looks, options and states.
func (l *line) tail(tail string) {
	if before, options, ok := strings.Cut(tail, " options "); ok {
		tail = before
		for _, q := range quotedIn.FindAllString(options, -1) {
			l.options = append(l.options, unquote(q))
		}
	}
	if before, like, ok := strings.Cut(tail, "like "); ok {
		q := quotedIn.FindString(like)
		l.like = unquote(q)
		tail = before + strings.TrimPrefix(like, q)
	}
	l.states = strings.Fields(tail)
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if q := quotedIn.FindStringSubmatch(s); q != nil && strings.HasPrefix(s, `"`) {
		s = q[1]
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

func (l *line) is(state string) bool { return slices.Contains(l.states, state) }

// of lists the lines of a role.
func (s scene) of(role string) (list []line) {
	for _, l := range s {
		if l.role == role || strings.HasPrefix(l.role, role+" ") || strings.HasSuffix(l.role, " "+role) {
			list = append(list, l)
		}
	}
	return list
}

// find is the first line that fits, nil where none does.
func (s scene) find(fits func(*line) bool) *line {
	for i := range s {
		if fits(&s[i]) {
			return &s[i]
		}
	}
	return nil
}

// named is the first line of one of the roles with exactly that name; without
// roles, of any that is not the instruction itself.
func (s scene) named(name string, roles ...string) *line {
	return s.find(func(l *line) bool {
		return l.name == name && (len(roles) == 0 || slices.ContainsFunc(roles, func(r string) bool { return strings.Contains(l.role, r) }))
	})
}

// after is the first line of a role behind another line.
func (s scene) after(l *line, role string) *line {
	seen := false
	return s.find(func(o *line) bool {
		if o.ref == l.ref {
			seen = true
			return false
		}
		return seen && strings.Contains(o.role, role)
	})
}

// texts lists the words of all lines that have a name.
func (s scene) texts() (list []string) {
	for _, l := range s {
		if l.name != "" {
			list = append(list, l.name)
		}
	}
	return list
}
