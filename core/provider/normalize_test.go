package provider_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")

func user(parts ...provider.Part) provider.Message {
	return provider.Message{Role: provider.RoleUser, Parts: parts}
}

func assistant(parts ...provider.Part) provider.Message {
	return provider.Message{Role: provider.RoleAssistant, Parts: parts}
}

func results(parts ...provider.Part) provider.Message {
	return provider.Message{Role: provider.RoleTool, Parts: parts}
}

func text(s string) provider.Text { return provider.Text{Text: s} }

func call(id, name, args string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: name, Args: args}
}

func result(id, name, s string) provider.ToolResult {
	return provider.ToolResult{CallID: id, Name: name, Text: s}
}

const interrupted = "interrupted: the call did not come to its end, and what it did is not known"

func lost(id, name string) provider.ToolResult {
	return provider.ToolResult{CallID: id, Name: name, Text: interrupted, Failed: true}
}

var sighted = provider.Info{Provider: "p", Images: true, ToolResultImages: true}

func TestNormalize(t *testing.T) {
	pic := provider.Image{MIME: "image/png", Data: png}
	long := strings.Repeat("x", 100)
	for name, tc := range map[string]struct {
		info provider.Info
		in   []provider.Message
		want []provider.Message
	}{
		"a right history stays": {
			sighted,
			[]provider.Message{user(text("a")), assistant(text("b"), call("1", "t", "{}")), results(result("1", "t", "c")), assistant(text("d")), user(text("e"))},
			[]provider.Message{user(text("a")), assistant(text("b"), call("1", "t", "{}")), results(result("1", "t", "c")), assistant(text("d")), user(text("e"))},
		},
		"call without result": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}"), call("2", "u", "{}")), results(result("2", "u", "c")), user(text("e"))},
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}"), call("2", "u", "{}")), results(lost("1", "t"), result("2", "u", "c")), user(text("e"))},
		},
		"result without call": {
			sighted,
			[]provider.Message{user(text("a")), results(result("9", "t", "c")), assistant(text("b")), user(text("e"))},
			[]provider.Message{user(text("a")), assistant(text("b")), user(text("e"))},
		},
		"result that came late": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), user(text("hey")), results(result("1", "t", "c"))},
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", "c")), user(text("hey"))},
		},
		"result before its call": {
			sighted,
			[]provider.Message{user(text("a")), results(result("1", "t", "c")), assistant(call("1", "t", "{}")), user(text("e"))},
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(lost("1", "t")), user(text("e"))},
		},
		"results given twice": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", "c"), result("1", "t", "d"))},
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", "c"))},
		},
		"ids used twice": {
			sighted,
			[]provider.Message{
				user(text("a")),
				assistant(call("1", "t", "{}")), results(result("1", "t", "first")),
				assistant(call("1", "t", "{}")), results(result("1", "t", "second")),
			},
			[]provider.Message{
				user(text("a")),
				assistant(call("1", "t", "{}")), results(result("1", "t", "first")),
				assistant(call("1_2", "t", "{}")), results(result("1_2", "t", "second")),
			},
		},
		"ids missing": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("", "t", "{}"), call("", "u", "{}")), results(result("", "u", "2"), result("", "t", "1"))},
			[]provider.Message{user(text("a")), assistant(call("call", "t", "{}"), call("call_2", "u", "{}")), results(result("call", "t", "1"), result("call_2", "u", "2"))},
		},
		"id too long": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call(long, "t", "{}")), results(result(long, "t", "c"))},
			[]provider.Message{
				user(text("a")),
				assistant(call("call_09ecb6ebc8bcefc733f6f2ec44f791ab", "t", "{}")),
				results(result("call_09ecb6ebc8bcefc733f6f2ec44f791ab", "t", "c")),
			},
		},
		"empty parts and messages": {
			sighted,
			[]provider.Message{user(text(" \n")), user(), user(text("a"), provider.Image{MIME: "image/png"}), assistant(text(""), provider.Reasoning{Provider: "p"}), user(text("b"))},
			[]provider.Message{user(text("a"), text("[a picture was left out: its format is not one that models take]"), text("b"))},
		},
		"roles in a row": {
			sighted,
			[]provider.Message{user(text("a")), user(text("b")), assistant(text("c")), assistant(text("d")), user(text("e"))},
			[]provider.Message{user(text("a"), text("b")), assistant(text("c"), text("d")), user(text("e"))},
		},
		"calls in a row": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), assistant(call("2", "t", "{}")), results(result("1", "t", "x"), result("2", "t", "y"))},
			[]provider.Message{
				user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", "x")),
				assistant(call("2", "t", "{}")), results(result("2", "t", "y")),
			},
		},
		"begins with the assistant": {
			sighted,
			[]provider.Message{assistant(text("a")), user(text("b"))},
			[]provider.Message{user(text("[the beginning of this conversation is not here]")), assistant(text("a")), user(text("b"))},
		},
		"ends with the assistant": {
			sighted,
			[]provider.Message{user(text("a")), assistant(text("b"))},
			[]provider.Message{user(text("a")), assistant(text("b")), user(text("Go on."))},
		},
		"blind model": {
			provider.Info{Provider: "p"},
			[]provider.Message{user(text("a"), pic), assistant(call("1", "t", "{}")), results(provider.ToolResult{CallID: "1", Name: "t", Text: "shot", Images: []provider.Image{pic}})},
			[]provider.Message{
				user(text("a"), text("[a picture was left out: this model cannot see pictures]")),
				assistant(call("1", "t", "{}")),
				results(result("1", "t", "shot\n[a picture was left out: this model cannot see pictures]")),
			},
		},
		"pictures of results follow": {
			provider.Info{Provider: "p", Images: true},
			[]provider.Message{
				user(text("a")), assistant(call("1", "t", "{}"), call("2", "u", "{}")),
				results(provider.ToolResult{CallID: "1", Images: []provider.Image{pic}}, result("2", "u", "x")), user(text("b")),
			},
			[]provider.Message{
				user(text("a")), assistant(call("1", "t", "{}"), call("2", "u", "{}")),
				results(result("1", "t", "(the pictures follow in the next message)"), result("2", "u", "x")),
				user(text("Pictures from the result of t (1):"), pic, text("b")),
			},
		},
		"picture of another type than it says": {
			sighted,
			[]provider.Message{user(provider.Image{MIME: "image/jpeg", Data: png}, provider.Image{MIME: "image/png", Data: []byte("%PDF-1.4")})},
			[]provider.Message{user(pic, text("[a picture was left out: its format is not one that models take]"))},
		},
		"reasoning": {
			sighted,
			[]provider.Message{
				user(text("a")),
				assistant(provider.Reasoning{Text: "x", Provider: "other"}, provider.Reasoning{Text: "y", Provider: "p"}, text("b"), provider.Reasoning{Text: "z", Provider: "p"}),
				user(text("c")),
				assistant(provider.Reasoning{Text: "only", Provider: "p"}),
			},
			[]provider.Message{user(text("a")), assistant(provider.Reasoning{Text: "y", Provider: "p"}, text("b")), user(text("c"))},
		},
		"broken arguments": {
			sighted,
			[]provider.Message{user(text("a")), assistant(
				call("1", "t", `{"path":"a.txt"`), call("2", "t", ""), call("3", "t", "[1]"), call("4", "t", "\xff\xfe"),
				call("5", "t", ` {"a":1} `), call("6", "a b.c", "null"),
			)},
			[]provider.Message{
				user(text("a")),
				assistant(call("1", "t", `{"path":"a.txt"}`), call("2", "t", "{}"), call("3", "t", "{}"), call("4", "t", "{}"), call("5", "t", ` {"a":1} `), call("6", "a_b_c", "{}")),
				results(lost("1", "t"), lost("2", "t"), lost("3", "t"), lost("4", "t"), lost("5", "t"), lost("6", "a_b_c")),
			},
		},
		"invalid text": {
			sighted,
			[]provider.Message{user(text("a\xffb")), assistant(call("1", "t", "{}")), results(result("1", "t", "\xfe"))},
			[]provider.Message{user(text("a\uFFFDb")), assistant(call("1", "t", "{}")), results(result("1", "t", "\uFFFD"))},
		},
		"empty result": {
			sighted,
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", ""))},
			[]provider.Message{user(text("a")), assistant(call("1", "t", "{}")), results(result("1", "t", "(no output)"))},
		},
		"nothing": {sighted, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := json.Marshal(fmt.Sprintf("%#v", tc.in))
			got := provider.Normalize(tc.in, tc.info)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			checkHistory(t, got)
			if diff := cmp.Diff(got, provider.Normalize(got, tc.info)); diff != "" {
				t.Errorf("a second time changes it: %s", diff)
			}
			if after, _ := json.Marshal(fmt.Sprintf("%#v", tc.in)); string(after) != string(before) {
				t.Error("the input was changed")
			}
		})
	}
}

// checkHistory fails unless every interface would take the history.
func checkHistory(tb testing.TB, history []provider.Message) {
	tb.Helper()
	ids := map[string]bool{}
	var open []string
	for i, m := range history {
		switch {
		case i == 0 && m.Role != provider.RoleUser:
			tb.Fatalf("the first message is of role %s", m.Role)
		case i > 0 && m.Role == history[i-1].Role:
			tb.Fatalf("messages %d and %d are of role %s", i-1, i, m.Role)
		case len(m.Parts) == 0:
			tb.Fatalf("message %d is empty", i)
		case (len(open) > 0) != (m.Role == provider.RoleTool):
			tb.Fatalf("message %d is of role %s; calls that wait: %v", i, m.Role, open)
		case i == len(history)-1 && m.Role == provider.RoleAssistant:
			tb.Fatal("the last message is the assistant's")
		}
		if m.Role == provider.RoleTool {
			for j, p := range m.Parts {
				if r, ok := p.(provider.ToolResult); !ok || j >= len(open) || r.CallID != open[j] {
					tb.Fatalf("message %d, part %d is %+v; calls that wait: %v", i, j, p, open)
				}
			}
			if len(open) != len(m.Parts) {
				tb.Fatalf("message %d has %d results for %d calls", i, len(m.Parts), len(open))
			}
			open = nil
			continue
		}
		open = checkParts(tb, m, ids)
	}
	if len(open) > 0 {
		tb.Fatalf("calls without a result: %v", open)
	}
}

// checkParts checks a message that has no results and returns its calls.
func checkParts(tb testing.TB, m provider.Message, ids map[string]bool) (open []string) {
	tb.Helper()
	for _, p := range m.Parts {
		ok := true
		switch p := p.(type) {
		case provider.Text:
			ok = strings.TrimSpace(p.Text) != "" && utf8.ValidString(p.Text)
		case provider.Image:
			ok = m.Role == provider.RoleUser && len(p.Data) > 0
		case provider.Reasoning:
			ok = m.Role == provider.RoleAssistant
		case provider.ToolCall:
			var args map[string]any
			ok = m.Role == provider.RoleAssistant && !ids[p.ID] && p.ID != "" && len(p.ID) <= 64 && p.Name != "" &&
				json.Unmarshal([]byte(p.Args), &args) == nil && args != nil
			ids[p.ID] = true
			open = append(open, p.ID)
		case provider.ToolResult:
			ok = false
		}
		if !ok {
			tb.Fatalf("a bad part in a message of role %s: %#v", m.Role, p)
		}
	}
	if _, ok := m.Parts[len(m.Parts)-1].(provider.Reasoning); ok {
		tb.Fatal("a message ends with reasoning")
	}
	return open
}

// FuzzNormalize takes a right history apart: messages and parts go missing, come
// twice, change places and roles, and strings are damaged.
func FuzzNormalize(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, "id", `{"a":1}`)
	}
	f.Add(uint64(3), "", "\xff{")
	f.Fuzz(func(t *testing.T, seed uint64, id, odd string) {
		r := rand.New(rand.NewPCG(seed, 1))
		history := damage(r, id, odd)
		for _, info := range []provider.Info{sighted, {Provider: "p", Images: true}, {Provider: "q"}} {
			got := provider.Normalize(history, info)
			checkHistory(t, got)
			if diff := cmp.Diff(got, provider.Normalize(got, info)); diff != "" {
				t.Fatalf("a second time changes it: %s", diff)
			}
		}
	})
}

func damage(r *rand.Rand, id, odd string) []provider.Message {
	pic := provider.Image{MIME: "image/png", Data: png}
	parts := []provider.Part{
		text("a"), text(odd), text(""), pic,
		provider.Image{Data: []byte(odd)},
		provider.Reasoning{Text: odd, Signature: "s", Provider: "p"},
		provider.Reasoning{Encrypted: "e", Provider: "q"},
		provider.Reasoning{},
		call(id, "t", odd), call("1", odd, "{}"), call("", "u", `{"b":`), call("2", "v", "{}"),
		result(id, "t", odd), result("1", "t", "x"), result("", "u", ""),
		provider.ToolResult{CallID: "2", Images: []provider.Image{pic, pic}, Text: odd},
	}
	roles := []provider.Role{provider.RoleUser, provider.RoleAssistant, provider.RoleTool, "developer"}
	history := make([]provider.Message, r.IntN(12))
	for i := range history {
		history[i].Role = roles[r.IntN(len(roles))]
		for range r.IntN(5) {
			history[i].Parts = append(history[i].Parts, parts[r.IntN(len(parts))])
		}
	}
	return history
}
