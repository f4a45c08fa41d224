package openai

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A callDelta is a piece of a tool call.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string, but some servers send the object
	} `json:"function"`
}

// A partialCall is a call under way.
type partialCall struct {
	index *int
	id    string
	name  string
	args  strings.Builder
}

// A callSet puts the pieces of parallel calls together.
type callSet []*partialCall

// add takes in one piece.
func (s *callSet) add(d callDelta) {
	args := arguments(d.Function.Arguments)
	c := s.find(d)
	if c == nil {
		c = &partialCall{index: d.Index, id: d.ID}
		*s = append(*s, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.args.Len() == 0 && c.name != d.Function.Name {
		c.name += d.Function.Name // in pieces from some; those that repeat it whole send the same
	}
	if c.args.String() == args && complete(args) {
		return // the whole of it once more
	}
	c.args.WriteString(args)
}

// find is the call that a piece belongs to, nil for a new one. Servers that
// count rightly are believed; others are told apart by id, and pieces with
// neither go to the last call.
func (s callSet) find(d callDelta) *partialCall {
	for _, c := range s {
		if d.ID != "" && c.id == d.ID && !(counted(c, d) && *c.index != *d.Index) {
			return c
		}
	}
	if d.Index != nil {
		return s.at(d)
	}
	if len(s) == 0 {
		return nil
	}
	last := s[len(s)-1]
	if d.ID != "" && last.id != "" || d.Function.Name != "" && complete(last.args.String()) {
		return nil
	}
	return last
}

// at is the last call with the piece's index, unless another id says that it is
// another call.
func (s callSet) at(d callDelta) *partialCall {
	for _, c := range slices.Backward(s) {
		if counted(c, d) && *c.index == *d.Index && (d.ID == "" || c.id == "") {
			return c
		}
	}
	return nil
}

// counted reports whether both the call and the piece have an index.
func counted(c *partialCall, d callDelta) bool { return c.index != nil && d.Index != nil }

// done returns the calls. With cut, the answer ended at its limit: a call whose
// arguments are not whole is left out, for half a call must not be mended and
// run.
func (s callSet) done(cut bool) []provider.Part {
	var parts []provider.Part
	used := map[string]bool{"": true}
	for _, c := range s {
		args := c.args.String()
		if cut && !complete(args) {
			continue
		}
		if used[c.id] {
			c.id = "call_" + rand.Text()[:20]
		}
		used[c.id] = true
		parts = append(parts, provider.ToolCall{ID: c.id, Name: c.name, Args: args})
	}
	return parts
}

// arguments is the text of arguments, however they came.
func arguments(raw json.RawMessage) string {
	if text := ""; json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// complete reports whether args are a whole JSON object.
func complete(args string) bool {
	return strings.HasPrefix(strings.TrimSpace(args), "{") && json.Valid([]byte(args))
}
