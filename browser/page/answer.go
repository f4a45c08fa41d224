package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The script's bounds, which the answer is held to as well: the page may have
// bent what the script reads, and the answer is the page's word.
const (
	maxRows    = 20000
	maxText    = 2100 // characters of a run of text
	maxString  = 600  // characters of any other text
	maxOptions = 1000
	maxNumber  = 1_000_000_000
)

// answer is what the script says of one document.
type answer struct {
	Stale  bool   `json:"stale"`    // what scope names is gone
	ID     string `json:"document"` // of the document
	URL    string `json:"url"`
	Title  string `json:"title"`
	Rows   []row  `json:"rows"`
	Hosts  []int  `json:"hosts"`  // elements that may have a closed shadow root
	Total  int    `json:"total"`  // elements in the document
	Visits int    `json:"visits"` // those that were looked at
	Full   string `json:"full"`   // which bound ended the walk: rows, elements, characters, time
	Modal  bool   `json:"modal"`  // a dialog blocks the rest of the page
	Hidden int    `json:"hidden"` // runs of text that only machines would read
	View   View   `json:"view"`
}

// A View is the part of a document that its window shows, in CSS pixels.
type View struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	X      int `json:"x"` // how far it is scrolled
	Y      int `json:"y"`
	W      int `json:"w"` // the size of the whole
	H      int `json:"h"`
}

// A row is one element, or one run of text, as the script saw it.
type row struct {
	Depth   int      `json:"d"`
	Ref     int      `json:"i"`
	Role    string   `json:"r"`
	Name    string   `json:"n"`
	Text    string   `json:"t"`
	Value   string   `json:"v"`
	States  []string `json:"s"`
	Level   int      `json:"l"`
	URL     string   `json:"u"`
	Hint    string   `json:"h"`
	Usable  int      `json:"c"`
	Options []string `json:"o"`
	Choices int      `json:"q"` // how many options there are
	More    int      `json:"m"` // children that were not looked at
}

var states = []string{
	"disabled", "checked", "mixed", "expanded", "collapsed", "selected", "pressed", "half pressed", "not pressed", "required", "invalid",
	"readonly", "current", "multiple", "popup", "busy", "ascending", "descending", "password", "draggable", "focused", "clickable", "camouflaged",
}

// judge holds an answer to its form. Text is cleaned; what cannot be meant, such
// as a reference that was never given, is an error. known reports whether a
// reference was given in the frame.
func (a *answer) judge(known func(int) bool) error {
	if len(a.Rows) > maxRows+1000 {
		return fmt.Errorf("the page's answer has %d rows", len(a.Rows))
	}
	a.ID, a.URL, a.Title = clean(a.ID, 40), clean(a.URL, 2000), clean(a.Title, maxString)
	a.Hosts = slices.DeleteFunc(a.Hosts, func(n int) bool { return !known(n) })
	a.Total, a.Visits, a.Hidden = clamp(a.Total, maxNumber), clamp(a.Visits, maxNumber), clamp(a.Hidden, maxNumber)
	deepest := 0
	for i := range a.Rows {
		r := &a.Rows[i]
		if !known(r.Ref) {
			return fmt.Errorf("row %d of the page's answer has the reference %d, which was not given", i, r.Ref)
		}
		r.Depth = min(clamp(r.Depth, maxRows), deepest)
		deepest = r.Depth + 1
		r.judge()
	}
	return nil
}

func (r *row) judge() {
	r.Role = strings.Map(func(c rune) rune {
		if c < 'a' || c > 'z' {
			return -1
		}
		return c
	}, clip(r.Role, 20))
	if r.Role == "" {
		r.Role = "clickable"
	}
	r.Name, r.Value, r.URL = clean(r.Name, maxString), clean(r.Value, maxString), clean(r.URL, maxString)
	r.Text, r.Hint = clean(r.Text, maxText), clean(r.Hint, 100)
	r.States = slices.DeleteFunc(r.States, func(s string) bool { return !slices.Contains(states, s) })
	slices.Sort(r.States)
	r.States = slices.Compact(r.States)
	r.Level, r.More, r.Choices = clamp(r.Level, 99), clamp(r.More, maxNumber), clamp(r.Choices, maxNumber)
	r.Options = r.Options[:min(len(r.Options), maxOptions)]
	for i, o := range r.Options {
		r.Options[i] = clean(o, 120)
	}
	r.Choices = max(r.Choices, len(r.Options))
}

func clamp(n, most int) int { return min(max(n, 0), most) }

// clean makes text of a page one line of at most n characters, without what
// cannot be seen: control and format characters, tags, bytes that are no text.
func clean(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if plain(s) && len(s) <= n {
		return s
	}
	var b strings.Builder
	count, blank := 0, false
	for _, c := range s {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			blank = b.Len() > 0
			continue
		case unicode.Is(unicode.Cf, c) && c != '\u200d', c == '\ufeff', c >= 0xE0000 && c <= 0xE0FFF: // U+200D joins emoji
			continue
		}
		if count >= n {
			b.WriteRune('…')
			break
		}
		if blank {
			b.WriteByte(' ')
			count++
			blank = false
		}
		b.WriteRune(c)
		count++
	}
	return b.String()
}

// plain reports whether s is printable ASCII with single blanks within.
func plain(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == 0x7f || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return s == "" || last != ' '
}
