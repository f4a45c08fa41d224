//go:build !windows

package permission

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

// FuzzAnalyse: reading never fails, and a line with a part that is no shell is
// never harmless nor covered by a rule.
func FuzzAnalyse(f *testing.F) {
	for _, name := range []string{"floor", "ask", "auto"} {
		for _, line := range lines(f, name) {
			f.Add(line)
		}
	}
	b := newBench(f)
	everything := []Rule{{Tool: "*", Action: Allow}}
	f.Fuzz(func(t *testing.T, line string) {
		s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: line, Dir: b.ws})
		if line == "" {
			return
		}
		s.forbidden()
		_, err := parse(line)
		ok, _ := s.line.harmless()
		if err != nil && (ok || !s.line.Unknown || s.covered(everything)) {
			t.Errorf("%q does not parse (%v) and runs by itself", line, err)
		}
		if s.line.Unknown && (ok || len(s.line.Reasons) == 0) {
			t.Errorf("%q is unknown without a reason, or harmless", line)
		}
		if ok && strings.IndexFunc(line, suspicious) >= 0 {
			t.Errorf("%q holds invisible characters and is harmless", line)
		}
	})
}

// FuzzEscape: what comes out shows every character, and plain text is kept.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb", "a\u200bb", "\x00\x1b[31m", "\xff\xfe", "é ü 漢字 🙂", "tab\tline\n", "\u00a0\u3000\u2800", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Escape(s)
		if !utf8.ValidString(got) || strings.IndexFunc(got, suspicious) >= 0 {
			t.Errorf("Escape(%q) = %q", s, got)
		}
		if Escape(got) != got {
			t.Errorf("Escape(%q) is not stable", s)
		}
	})
}

// FuzzRule: no text makes a rule that fails in use.
func FuzzRule(f *testing.F) {
	for _, s := range []string{"git log *", "~/x/**", "*.example.org", "path:./x", "host:a:1", "command:rm *", "[", "{a,b}", "$HOME/x", ""} {
		f.Add("shell", s)
		f.Add("web_fetch", s)
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, name, match string) {
		r := Rule{Tool: name, Match: match, Action: Deny}
		if r.Check() != nil {
			return
		}
		c := &capability.Capability{Name: strings.TrimSuffix(name, "*") + "x", Class: capability.Exec}
		for _, p := range []capability.Preview{{Shell: "git log x", Dir: b.ws}, {URL: "https://example.org/"}, {Paths: []capability.PathUse{{Path: b.ws + "/a"}}}} {
			b.rules.list = []Rule{r}
			b.Decide(c, capability.Call{Name: c.Name, Turn: b.turn}, p)
			if r.Action = Allow; r.Check() != nil {
				t.Errorf("%v is good for deny alone", r)
			}
			b.rules.list = []Rule{r}
			b.Decide(c, capability.Call{Name: c.Name, Turn: b.turn}, p)
		}
	})
}
