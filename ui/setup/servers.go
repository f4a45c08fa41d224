// Package setup is the window of the settings: a list of pages at the left and
// the page at the right. Each page has a model without a toolkit, a view that
// only draws, and asks the core through its typed client.
package setup

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// Servers is the page of the tool servers. The zero Servers is an empty page
// that has not heard of the core yet.
type Servers struct {
	List   []control.Server
	Loaded bool
	Err    error           // why the list could not be read
	Busy   map[string]bool // servers that something is being done to, by name
}

// Set takes in the list as the core has it.
func (m *Servers) Set(list []control.Server, err error) {
	m.Loaded, m.Err = true, err
	if err == nil {
		m.List = list
	}
}

// Do notes that something is being done to a server, or no longer.
func (m *Servers) Do(name string, busy bool) {
	if m.Busy == nil {
		m.Busy = map[string]bool{}
	}
	if busy {
		m.Busy[name] = true
	} else {
		delete(m.Busy, name)
	}
}

// A Mood is how a state is told, beside its words.
type Mood uint8

// The moods.
const (
	Quiet Mood = iota
	Good
	Ask
	Bad
)

// Status is the state of a server in words.
func Status(s control.Server) (say.Phrase, Mood) {
	switch {
	case s.State == "ready" && len(s.Held) > 0:
		return say.P("Changed since you trusted it · {{.N}} held back", "N", len(s.Held)), Bad
	case s.State == "ready" && len(s.Tools) == 0:
		return say.P("Ready, but it offers no tools"), Ask
	case s.State == "ready" && len(s.Notes) > 0:
		return say.P("Ready · {{.N}} tools · {{.Bad}} left out", "N", len(s.Tools), "Bad", len(s.Notes)), Ask
	case s.State == "ready":
		return say.P("Ready · {{.N}} tools", "N", len(s.Tools)), Good
	case s.State == "starting":
		return say.P("Starting…"), Quiet
	case s.State == "disabled":
		return say.P("Switched off"), Quiet
	case s.State == "needs_login":
		return say.P("Needs you to sign in"), Ask
	case s.State == "quarantined":
		return say.P("Does not work: {{.Reason}}", "Reason", short(s.Reason)), Bad
	}
	return say.P("Is tried again: {{.Reason}}", "Reason", short(s.Reason)), Ask
}

// mostReason is how much of a reason stands on a card; the log has all of it.
const mostReason = 160

func short(reason string) string {
	r := []rune(strings.Join(strings.Fields(reason), " "))
	if len(r) > mostReason {
		return string(r[:mostReason-1]) + "…"
	}
	return string(r)
}

// About is what a server calls itself, and how it is reached.
func About(s control.Server) say.Phrase {
	parts := []string{s.Shown}
	if s.About != "" {
		parts = slices.Insert(parts, 0, s.About)
	}
	return say.Raw(strings.Join(parts, " · "))
}

// Tools is the text of a server's tools: what each is called and does.
func Tools(s control.Server) string {
	var b strings.Builder
	for _, t := range s.Tools {
		name := t.Offered
		if name == "" {
			name = t.Name
		}
		b.WriteString(name + "\n")
		if text := strings.Join(strings.Fields(t.Description), " "); text != "" {
			b.WriteString("    " + text + "\n")
		}
	}
	for _, n := range s.Notes {
		b.WriteString("\n" + n + "\n")
	}
	return b.String()
}

// Changes is the text of what changed in a server's tools.
func Changes(s control.Server) string {
	var b strings.Builder
	for _, h := range s.Held {
		b.WriteString(h.Tool + "\n\n" + h.Diff + "\n")
	}
	return b.String()
}

// A Form is a server that is being added.
type Form struct {
	Name    string
	Where   string // a command line, or an address that begins with http
	PassEnv string // names of variables, with commas or spaces between
	Auth    string // for an address
}

// Entry makes a form into what the core takes. A command line is split as a
// shell does it, with quotes, and nothing of it is run by one.
func (f Form) Entry() (control.ServerEntry, error) {
	e := control.ServerEntry{Name: strings.TrimSpace(f.Name), Auth: strings.TrimSpace(f.Auth)}
	if e.Name == "" {
		return e, say.Err("Give the server a name")
	}
	where := strings.TrimSpace(f.Where)
	if where == "" {
		return e, say.Err("Give a command or an address")
	}
	if strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://") {
		e.URL = where
		return e, nil
	}
	words, err := split(where)
	if err != nil {
		return e, err
	}
	e.Command, e.Args = words[0], words[1:]
	e.PassEnv = strings.FieldsFunc(f.PassEnv, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == ';' })
	return e, nil
}

// split parts a command line at spaces outside quotes.
func split(line string) ([]string, error) {
	var s splitter
	for _, r := range line {
		s.take(r)
	}
	s.end()
	switch {
	case s.quote != 0:
		return nil, say.Err("A quote of the command is not closed")
	case len(s.words) == 0 || s.words[0] == "":
		return nil, say.Err("Give a command or an address")
	}
	return s.words, nil
}

// A splitter gathers words.
type splitter struct {
	words []string
	word  strings.Builder
	quote rune // that is open; 0 when none is
	some  bool // there is a word, though it may be empty
}

func (s *splitter) take(r rune) {
	switch {
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote != 0:
		s.word.WriteRune(r)
	case r == '"' || r == '\'':
		s.quote, s.some = r, true
	case unicode.IsSpace(r):
		s.end()
	default:
		s.word.WriteRune(r)
		s.some = true
	}
}

// end ends the word, if there is one.
func (s *splitter) end() {
	if s.some {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.some = false
}
