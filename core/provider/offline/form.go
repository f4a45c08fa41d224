package offline

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// An intent is what a message was understood to want: steps of calls, or
// something to say instead.
type intent struct {
	steps    [][]call // each step's calls run side by side
	reply    string   // said at once, with no call
	question string   // asks for what is missing
	missing  string   // the slot that the answer fills
	tool     string   // the tool that the question is about
	form     *form    // that understood it
	found    captures
}

// one is the intent of a single call.
func one(tool string, a args) (intent, bool) {
	return intent{steps: [][]call{{{tool, a}}}}, true
}

// ask is the intent of a request that lacks something.
func ask(tool, slot, question string) (intent, bool) {
	return intent{tool: tool, missing: slot, question: question}, true
}

// no is the intent of a form that does not fit after all.
func no() (intent, bool) { return intent{}, false }

// A form is one way to say something. In say, | stands between words that mean
// the same, _ within such a phrase; [ ] may be left out; {x} is one word or a
// text in quotes, {x*} one or more, as few as will do, {x+} as many as will do.
type form struct {
	say  string
	make func(c captures) (intent, bool)

	once  sync.Once
	items []item
}

// An item is one part of a form.
type item struct {
	phrases [][]string // any of these, word by word
	group   []item     // may be left out
	slot    string     // takes words
	many    bool
	greedy  bool
}

func (f *form) parts() []item {
	f.once.Do(func() {
		f.items, _ = parseForm(strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(f.say)))
	})
	return f.items
}

func parseForm(fields []string) (items []item, rest []string) {
	for len(fields) > 0 {
		f := fields[0]
		fields = fields[1:]
		switch {
		case f == "]":
			return items, fields
		case f == "[":
			var group []item
			group, fields = parseForm(fields)
			items = append(items, item{group: group})
		case strings.HasPrefix(f, "{"):
			name := strings.Trim(f, "{}*+")
			items = append(items, item{slot: name, many: strings.HasSuffix(f, "*}") || strings.HasSuffix(f, "+}"), greedy: strings.HasSuffix(f, "+}")})
		default:
			var it item
			for p := range strings.SplitSeq(f, "|") {
				it.phrases = append(it.phrases, strings.Split(p, "_"))
			}
			slices.SortStableFunc(it.phrases, func(a, b []string) int { return len(b) - len(a) }) // search for, before search
			items = append(items, it)
		}
	}
	return items, nil
}

// captures are the words that the slots took.
type captures struct {
	values map[string]string // as they are meant
	raw    map[string]string // as they were written
	quoted map[string]bool
	talk   *talk
	now    time.Time
}

// get is what a slot took; empty when it took nothing.
func (c captures) get(slot string) string { return c.values[slot] }

// has reports whether a slot took something, be it an empty text.
func (c captures) has(slot string) bool { _, ok := c.values[slot]; return ok }

// with returns a copy in which a slot has another value.
func (c captures) with(slot, value string) captures {
	c.values, c.raw, c.quoted = maps.Clone(c.values), maps.Clone(c.raw), maps.Clone(c.quoted)
	c.values[slot], c.raw[slot], c.quoted[slot] = value, value, true
	return c
}

// A matcher lays a form over a message.
type matcher struct {
	msg   message
	found captures
	steps int
	out   intent
	form  *form
}

// mostSteps bounds the search: a message that needs more is not a request.
const mostSteps = 20_000

// match reports whether a form fits a message, and what it makes of it.
func (f *form) match(msg message, t *talk, now time.Time) (intent, bool) {
	x := &matcher{msg: msg, form: f, found: captures{map[string]string{}, map[string]string{}, map[string]bool{}, t, now}}
	if !x.fit(f.parts(), 0) {
		return intent{}, false
	}
	return x.out, true
}

// fit matches the rest of a form with the words from i on.
func (x *matcher) fit(items []item, i int) bool {
	if x.steps++; x.steps > mostSteps {
		return false
	}
	if len(items) == 0 {
		return i == len(x.msg.words) && x.accept()
	}
	it, rest := items[0], items[1:]
	switch {
	case it.slot != "":
		return x.take(it, rest, i)
	case it.group != nil:
		return x.fit(append(slices.Clip(it.group), rest...), i) || x.fit(rest, i)
	}
	for _, p := range it.phrases {
		if startsWith(x.msg.words[i:], p) && x.fit(rest, i+len(p)) {
			return true
		}
	}
	return false
}

// take gives a slot its words, shortest or longest first.
func (x *matcher) take(it item, rest []item, i int) bool {
	most := 1
	if it.many {
		most = len(x.msg.words) - i
	}
	for k := 1; k <= most && i+k <= len(x.msg.words); k++ {
		n := k
		if it.greedy {
			n = most - k + 1
		}
		x.found.values[it.slot] = x.msg.span(i, i+n)
		x.found.raw[it.slot] = x.msg.written(i, i+n)
		x.found.quoted[it.slot] = n == 1 && x.msg.words[i].quoted
		if x.fit(rest, i+n) {
			return true
		}
	}
	delete(x.found.values, it.slot)
	delete(x.found.raw, it.slot)
	delete(x.found.quoted, it.slot)
	return false
}

// accept asks the form whether it makes sense of what the slots took.
func (x *matcher) accept() bool {
	out, ok := x.form.make(x.found)
	if !ok {
		return false
	}
	out.form, out.found = x.form, x.found
	x.out = out
	return true
}
