//go:build !windows

package permission

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// One tool that looks at pages and acts on them is judged by each call, not by
// its class. The marks are what becomes of it in the modes ask, accept_edits,
// auto and unattended.
func TestPageEffects(t *testing.T) {
	browser := inCategory(tool("browser", capability.Network), capability.CategoryWeb)
	free, asks := [4]string{"auto", "auto", "auto", "auto"}, [4]string{"ask", "ask", "ask", "ask"}
	ruled := [4]string{"ask", "ask", "auto", "ask"} // where only a rule in auto mode helps
	host := Rule{Tool: "browser", Match: "host:example.org", Action: Allow}
	type marks struct{ clean, tainted, cleanRuled, taintedRuled [4]string }
	for name, c := range map[string]struct {
		p    capability.Preview
		want marks
	}{
		"look":                {capability.Preview{Effect: capability.EffectLook}, marks{free, free, free, free}},
		"open a known page":   {capability.Preview{Effect: capability.EffectOpen, URL: page}, marks{free, free, free, free}},
		"open a made-up page": {capability.Preview{Effect: capability.EffectOpen, URL: "https://example.org/?q=secret"}, marks{free, asks, free, ruled}},
		"use":                 {capability.Preview{Effect: capability.EffectUse, URL: page}, marks{free, free, free, free}},
		"enter":               {capability.Preview{Effect: capability.EffectEnter, URL: page}, marks{free, asks, free, ruled}},
		"send":                {capability.Preview{Effect: capability.EffectSend, URL: page}, marks{asks, asks, free, ruled}},
		"send elsewhere":      {capability.Preview{Effect: capability.EffectSend, URL: "https://evil.example/"}, marks{asks, asks, asks, asks}},
		"send alone":          {capability.Preview{Effect: capability.EffectSend, URL: page, Alone: true}, marks{asks, asks, asks, asks}},
		"look alone":          {capability.Preview{Effect: capability.EffectLook, Alone: true}, marks{asks, asks, asks, asks}},
		"nothing said":        {capability.Preview{}, marks{asks, asks, asks, asks}},
	} {
		t.Run(name, func(t *testing.T) {
			for what, row := range map[string]struct {
				rules   []Rule
				tainted bool
				want    [4]string
			}{
				"clean": {nil, false, c.want.clean}, "tainted": {nil, true, c.want.tainted},
				"clean with a rule": {[]Rule{host}, false, c.want.cleanRuled}, "tainted with a rule": {[]Rule{host}, true, c.want.taintedRuled},
			} {
				b := tainting(t, row.rules...)
				if row.tainted {
					b.seen(t, browser, `{}`, "read "+page, true)
				}
				for i, m := range []Mode{Ask, AcceptEdits, Auto, Unattended} {
					if got := outcome(b.judge(m, browser, `{"action":"x"}`, c.p)); got != row.want[i] {
						t.Errorf("%s, %s: %s, want %s", what, m, got, row.want[i])
					}
				}
			}
		})
	}
}

// A host that the person named may be typed into although the turn has read
// something; what is sent asks all the same.
func TestPageOfANamedHost(t *testing.T) {
	browser := inCategory(tool("browser", capability.Network), capability.CategoryWeb)
	b := tainting(t)
	b.Taint.Begin(b.turn, []Heard{{Text: "search for shoes on example.org", Person: true}})
	b.seen(t, browser, `{}`, "a page", true)
	if v := b.judge(Ask, browser, `{}`, capability.Preview{Effect: capability.EffectEnter, URL: page}); v.Action != Allow {
		t.Errorf("typing there: %+v", v)
	}
	v := b.judge(Ask, browser, `{}`, capability.Preview{Effect: capability.EffectSend, URL: page})
	if v.Action != AskFirst || !strings.Contains(v.Reason, "it sends something to example.org") || v.Risk != High {
		t.Errorf("sending there: %+v", v)
	}
	other := tool("mcp_browser", capability.Network)
	other.Kind = capability.KindMCP
	if v := b.judge(Ask, other, `{}`, capability.Preview{Effect: capability.EffectLook}); v.Action != AskFirst {
		t.Errorf("a server's word was taken: %+v", v)
	}
	b = tainting(t)
	v = b.judge(Ask, browser, `{}`, capability.Preview{Effect: capability.EffectSend, URL: page})
	if v.Reason != "It sends something to example.org." {
		t.Errorf("the reason is %q", v.Reason)
	}
}

// What is agreed to for this very call alone offers no rule, and another call
// of the kind asks again.
func TestPageCallAlone(t *testing.T) {
	browser := inCategory(tool("browser", capability.Network), capability.CategoryWeb)
	b := tainting(t)
	b.turn.Attended = true
	p := capability.Preview{Effect: capability.EffectSend, URL: page}
	for _, alone := range []bool{false, true} {
		p.Alone = alone
		s := b.subject(browser, capability.Call{Name: "browser", Args: []byte(`{}`), Turn: b.turn}, p)
		if r := b.provenRule(s); (r == nil) != alone {
			t.Errorf("alone %v: the rule on offer is %v", alone, r)
		}
	}
	asker := &answering{answer: Answer{Decision: ForSession}}
	b.Asker = asker
	for _, args := range []string{`{"a":1}`, `{"a":1}`, `{"a":2}`} {
		if err := b.Approve(t.Context(), browser, capability.Call{ID: args, Name: "browser", Args: []byte(args), Turn: b.turn}, p); err != nil {
			t.Fatal(err)
		}
	}
	if len(asker.asked) != 2 {
		t.Errorf("it asked %d times, want 2: once for each call that differs", len(asker.asked))
	}
}

// The question names the page that was read, although the call did not.
func TestPageIsNamed(t *testing.T) {
	browser := inCategory(tool("browser", capability.Network), capability.CategoryWeb)
	b := tainting(t)
	r := &capability.Result{Text: "a page", Untrusted: true, Data: []byte(`{"url":"https://example.org/page"}`)}
	if err := b.Taint.Seen(t.Context(), browser, capability.Call{ID: "c0", Name: "browser", Args: []byte(`{"action":"snapshot"}`), Turn: b.turn}, r); err != nil {
		t.Fatal(err)
	}
	v := b.judge(Ask, browser, `{}`, capability.Preview{Effect: capability.EffectSend, URL: page})
	if !strings.Contains(v.Reason, "content from outside (https://example.org/page)") {
		t.Errorf("the reason is %q", v.Reason)
	}
	if v := b.judge(Ask, browser, `{}`, capability.Preview{Effect: capability.EffectLook}); v.Risk != Low {
		t.Errorf("a look has the risk %q", v.Risk)
	}
}
