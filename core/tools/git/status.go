package git

import (
	"fmt"
	"strconv"
	"strings"
)

// A Status is what git status found, as the structured data of git_read.
type Status struct {
	Branch    string   `json:"branch,omitempty"`   // empty when the head is detached
	Head      string   `json:"head,omitempty"`     // the commit; empty when there is none yet
	Upstream  string   `json:"upstream,omitempty"` // empty when there is none
	Ahead     int      `json:"ahead"`
	Behind    int      `json:"behind"`
	Staged    []Change `json:"staged"`
	Changed   []Change `json:"changed"` // and not staged
	Untracked []string `json:"untracked"`
	Ignored   []string `json:"ignored,omitempty"` // only when asked for
	Conflicts []Change `json:"conflicts"`
	Cut       bool     `json:"cut,omitempty"` // the lists are not complete

	counts [groups]int // of all, listed or not
}

// The groups that a status counts.
const (
	staged = iota
	changed
	untracked
	conflicted
	ignored
	groups
)

// A Change is a file that differs.
type Change struct {
	Path string `json:"path"`
	From string `json:"from,omitempty"` // the earlier path, of a renamed or copied one
	Kind string `json:"kind"`           // modified, added, deleted, …; of a conflict what both sides did
}

var kinds = map[byte]string{
	'M': "modified", 'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "type changed",
}

var sides = map[string]string{
	"DD": "both deleted", "AU": "added by us", "UD": "deleted by them", "UA": "added by them",
	"DU": "deleted by us", "AA": "both added", "UU": "both modified",
}

// parseStatus reads the output of git status --porcelain=v2 --branch -z. Each
// list holds at most most entries. What it does not know it passes over.
func parseStatus(out string, most int) *Status {
	s := &Status{Staged: []Change{}, Changed: []Change{}, Untracked: []string{}, Conflicts: []Change{}}
	for out != "" {
		record, rest, whole := strings.Cut(out, "\x00")
		if out = rest; !whole {
			s.Cut = true
			return s
		}
		if len(record) < 5 && !strings.HasPrefix(record, "? ") && !strings.HasPrefix(record, "! ") || len(record) < 3 || record[1] != ' ' {
			continue
		}
		switch body := record[2:]; record[0] {
		case '#':
			s.header(body)
		case '?':
			s.name(&s.Untracked, untracked, body, most)
		case '!':
			s.name(&s.Ignored, ignored, body, most)
		case '1':
			s.change(field(body, 7), body[:2], "", most)
		case '2':
			from, rest, whole := strings.Cut(out, "\x00")
			if out = rest; !whole {
				s.Cut = true
				return s
			}
			s.change(field(body, 8), body[:2], from, most)
		case 'u':
			s.conflict(field(body, 9), sides[body[:2]], most)
		}
	}
	return s
}

// field is the text behind n fields, each followed by one space.
func field(body string, n int) string {
	for range n {
		var ok bool
		if _, body, ok = strings.Cut(body, " "); !ok {
			return ""
		}
	}
	return body
}

func (s *Status) header(body string) {
	name, val, _ := strings.Cut(body, " ")
	val = strings.ToValidUTF8(val, "\ufffd")
	switch {
	case name == "branch.oid" && val != "(initial)":
		s.Head = val
	case name == "branch.head" && val != "(detached)":
		s.Branch = val
	case name == "branch.upstream":
		s.Upstream = val
	case name == "branch.ab":
		ahead, behind, _ := strings.Cut(val, " ")
		s.Ahead, s.Behind = number(ahead), number(behind)
	}
}

func number(s string) int {
	n, err := strconv.Atoi(strings.TrimLeft(s, "+-"))
	if err != nil {
		return 0
	}
	return n
}

// more counts one of a group and reports whether it is still listed.
func (s *Status) more(group, listed, most int) bool {
	s.counts[group]++
	s.Cut = s.Cut || listed >= most
	return listed < most
}

func (s *Status) name(list *[]string, group int, name string, most int) {
	if s.more(group, len(*list), most) {
		*list = append(*list, strings.ToValidUTF8(name, "\ufffd"))
	}
}

func (s *Status) put(list *[]Change, group int, c Change, most int) {
	if s.more(group, len(*list), most) {
		c.Path, c.From = strings.ToValidUTF8(c.Path, "\ufffd"), strings.ToValidUTF8(c.From, "\ufffd")
		*list = append(*list, c)
	}
}

func (s *Status) change(path, xy, from string, most int) {
	if path == "" {
		return
	}
	for group, list := range []*[]Change{staged: &s.Staged, changed: &s.Changed} {
		kind := kinds[xy[group]]
		if kind == "" {
			continue
		}
		c := Change{Path: path, Kind: kind}
		if xy[group] == 'R' || xy[group] == 'C' {
			c.From = from
		}
		s.put(list, group, c, most)
	}
}

func (s *Status) conflict(path, kind string, most int) {
	if path == "" {
		return
	}
	if kind == "" {
		kind = "conflict"
	}
	s.put(&s.Conflicts, conflicted, Change{Path: path, Kind: kind}, most)
}

// summary is one line: "1 staged, 3 changed, 1 untracked".
func (s *Status) summary() string {
	var parts []string
	for _, p := range []struct {
		group int
		what  string
	}{{conflicted, "in conflict"}, {staged, "staged"}, {changed, "changed"}, {untracked, "untracked"}} {
		if n := s.counts[p.group]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing changed"
	}
	return strings.Join(parts, ", ")
}

// text is what the model reads.
func (s *Status) text() string {
	var b strings.Builder
	switch {
	case s.Branch == "":
		fmt.Fprintf(&b, "Not on a branch, at commit %.12s", s.Head)
	case s.Head == "":
		fmt.Fprintf(&b, "On branch %s, no commits yet", s.Branch)
	default:
		fmt.Fprintf(&b, "On branch %s", s.Branch)
	}
	switch {
	case s.Upstream == "":
	case s.Ahead == 0 && s.Behind == 0:
		fmt.Fprintf(&b, ", upstream %s", s.Upstream)
	default:
		fmt.Fprintf(&b, ", %d ahead of and %d behind %s", s.Ahead, s.Behind, s.Upstream)
	}
	fmt.Fprintf(&b, ": %s.\n", s.summary())
	for _, l := range []struct {
		title string
		group int
		list  []Change
	}{
		{"Conflicts", conflicted, s.Conflicts},
		{"Staged", staged, s.Staged},
		{"Changed, not staged", changed, s.Changed},
		{"Untracked", untracked, plain(s.Untracked)},
		{"Ignored", ignored, plain(s.Ignored)},
	} {
		if s.counts[l.group] == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", l.title)
		for _, c := range l.list {
			b.WriteString("  " + c.String() + "\n")
		}
		if more := s.counts[l.group] - len(l.list); more > 0 {
			fmt.Fprintf(&b, "  … and %d more\n", more)
		}
	}
	return b.String()
}

func plain(names []string) (list []Change) {
	for _, n := range names {
		list = append(list, Change{Path: n})
	}
	return list
}

// String is the change as a line.
func (c Change) String() string {
	out := oneLine(c.Path)
	if c.From != "" {
		out = oneLine(c.From) + " → " + out
	}
	if c.Kind != "" {
		out = c.Kind + ": " + out
	}
	return out
}

// oneLine quotes a name that would not be clear as it is.
func oneLine(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == 0x7f }) || strings.TrimSpace(name) != name {
		return strconv.Quote(name)
	}
	return name
}
