package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A hand makes calls of the browser tool. It is all that a policy has.
type hand func(ctx context.Context, call map[string]any) (text string, err error)

// A task is one episode of a page. A policy sees the instruction and snapshots,
// and acts by reference. What goes wrong is kept: after it nothing is done.
type task struct {
	ctx  context.Context
	hand hand
	say  string // the instruction
	err  error
}

// errLost is returned by a policy that does not know what to do.
var errLost = errors.New("the policy found nothing to act on")

func (t *task) call(args map[string]any) string {
	if t.err != nil {
		return ""
	}
	text, err := t.hand(t.ctx, args)
	if err != nil {
		raw, _ := json.Marshal(args) // plain values always marshal
		t.err = fmt.Errorf("%s: %w", raw, err)
	}
	return text
}

func (t *task) look() scene { return parse(t.call(map[string]any{"action": "snapshot"})) }

func (t *task) act(kind string, l *line, more map[string]any) {
	if t.err != nil {
		return
	}
	if l == nil {
		t.err = fmt.Errorf("%s: %w", kind, errLost)
		return
	}
	args := map[string]any{"action": "act", "kind": kind, "ref": l.ref}
	maps.Copy(args, more)
	t.call(args)
}

func (t *task) click(l *line)                { t.act("click", l, nil) }
func (t *task) hover(l *line)                { t.act("hover", l, nil) }
func (t *task) fill(l *line, text string)    { t.act("fill", l, map[string]any{"text": text}) }
func (t *task) choose(l *line, of ...string) { t.act("select", l, map[string]any{"values": of}) }
func (t *task) press(l *line, key string)    { t.act("press", l, map[string]any{"key": key}) }

func (t *task) drag(from, to *line) {
	if to == nil && t.err == nil {
		t.err = fmt.Errorf("drag: %w", errLost)
	}
	if t.err == nil {
		t.act("drag", from, map[string]any{"to": to.ref})
	}
}

// button clicks a button by its name.
func (t *task) button(name string) { t.click(t.look().named(name, "button")) }

// submit clicks Submit.
func (t *task) submit() { t.button("Submit") }

// pause is for tasks that ask for a pause.
func (t *task) pause(d time.Duration) {
	select {
	case <-t.ctx.Done():
	case <-time.After(d):
	}
}

// until looks until something is there, for at most five seconds.
func (t *task) until(there func(scene) *line) (l *line) {
	for end := time.Now().Add(5 * time.Second); t.err == nil && time.Now().Before(end); t.pause(100 * time.Millisecond) {
		if l = there(t.look()); l != nil {
			return l
		}
	}
	return nil
}

// words are the parts of the instruction between double quotes.
func (t *task) words() (list []string) {
	for _, m := range quotes.FindAllStringSubmatch(t.say, -1) {
		list = append(list, m[1])
	}
	return list
}

var quotes = regexp.MustCompile(`"([^"]*)"`)

// word is the first of them.
func (t *task) word() string {
	if w := t.words(); len(w) > 0 {
		return w[0]
	}
	t.lost()
	return ""
}

func (t *task) lost() {
	if t.err == nil {
		t.err = errLost
	}
}

// match takes the instruction apart. It always has as many parts as the pattern.
func (t *task) match(pattern string) []string {
	re := regexp.MustCompile(pattern)
	if m := re.FindStringSubmatch(t.say); m != nil {
		return m
	}
	t.lost()
	return make([]string, re.NumSubexp()+1)
}

// number reads "3", "3rd" or "-4".
func number(s string) int {
	n, err := strconv.Atoi(strings.TrimRight(s, "stndrh"))
	if err != nil {
		return 0
	}
	return n
}

// nth is the n-th of a list, counted from 1.
func nth(list []line, n int) *line {
	if n < 1 || n > len(list) {
		return nil
	}
	return &list[n-1]
}
