package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
)

const (
	maxSessions = 256 // remembered at once; the oldest is forgotten first
	maxGrants   = 256 // of one session
)

// grants is what was agreed to for a session. It is kept in memory alone.
type grants struct {
	mu    sync.Mutex
	of    map[string]*granted
	order []string
}

type granted struct {
	rules    []Rule
	informed []Rule   // of these, what was agreed to knowing what the turn had read
	prints   []string // of calls that no rule can describe
}

// A grant is what a person agreed to for a session: a rule or, where there is
// none, the very call.
type grant struct {
	rule     *Rule
	print    string
	informed bool // the question said what the turn had read from outside
}

// add remembers a grant.
func (g *grants) add(session string, given grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = map[string]*granted{}
	}
	one := g.of[session]
	if one == nil {
		if len(g.order) >= maxSessions {
			delete(g.of, g.order[0])
			g.order = g.order[1:]
		}
		one = &granted{}
		g.of[session] = one
		g.order = append(g.order, session)
	}
	if given.rule == nil {
		keepOne(&one.prints, given.print)
		return
	}
	keepOne(&one.rules, *given.rule)
	if given.informed {
		keepOne(&one.informed, *given.rule)
	}
}

// keepOne puts one on a list once; the list keeps its latest.
func keepOne[T comparable](list *[]T, one T) {
	if !slices.Contains(*list, one) {
		*list = append(*list, one)
		*list = (*list)[max(0, len(*list)-maxGrants):]
	}
}

// rules are those of the session; informed alone leaves out what was agreed to
// before the turn had read anything from outside.
func (g *grants) rules(session string, informed bool) []Rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.of[session]
	switch {
	case one == nil:
		return nil
	case informed:
		return slices.Clone(one.informed)
	}
	return slices.Clone(one.rules)
}

func (g *grants) has(session, fingerprint string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.of[session]
	return one != nil && slices.Contains(one.prints, fingerprint)
}

// Forget drops what was agreed to for a session.
func (g *Gate) Forget(session string) {
	g.session.mu.Lock()
	defer g.session.mu.Unlock()
	delete(g.session.of, session)
	g.session.order = slices.DeleteFunc(g.session.order, func(s string) bool { return s == session })
}

// Fingerprint binds an approval to a call: the SHA-256, in hex, over the tool,
// its final arguments whatever their spelling as JSON, and the session.
func Fingerprint(call capability.Call) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(call.Name), canonicalJSON(call.Args), []byte(call.Turn.Session)} {
		size, _ := json.Marshal(len(part))
		h.Write(append(append(size, ':'), part...))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// canonicalJSON writes a document with its keys sorted and its numbers as they
// are. What is no JSON stays as it is.
func canonicalJSON(raw json.RawMessage) []byte {
	if len(bytes.TrimSpace(raw)) == 0 {
		return []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}
