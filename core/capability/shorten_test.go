package capability

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// printing is a tool that printed this much on its streams.
func printing(out, err int, r Result, failed error) Capability {
	c := tool("act", Exec, func(context.Context, Call) (Result, error) {
		r := r
		r.Text = "Exit code 0.\n"
		r.Streams = []Stream{{"stdout", numbered("out", out)}, {"stderr", numbered("err", err)}}
		return r, failed
	})
	c.Hints.PersistOutput = true
	return c
}

func numbered(word string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%s %d\n", word, i)
	}
	return b.String()
}

func TestPersist(t *testing.T) {
	timedOut := &Failure{"timed_out", "it took too long", "do less"}
	for name, tt := range map[string]struct {
		tool        Capability
		limits      Limits
		least, most int
		parts       []string // of the text, in order
		saved       bool
	}{
		"little":             {tool: printing(3, 1, Result{}, nil), most: 80, parts: []string{"Exit code 0.\n--- stdout\nout 0\nout 1\nout 2\n--- stderr\nerr 0"}},
		"nothing":            {tool: printing(0, 0, Result{}, nil), most: 20, parts: []string{"Exit code 0."}},
		"much, a success":    {tool: printing(1000, 0, Result{}, nil), least: 1000, most: 1200, parts: []string{"out 0\n", "left out", "out 999\n", "(whole output: /x)"}, saved: true},
		"much, a failure":    {tool: printing(9000, 0, Result{Failing: true}, nil), least: 8000, most: 8500, parts: []string{"out 0\n", "left out", "out 8999\n"}, saved: true},
		"both streams":       {tool: printing(1000, 1000, Result{}, nil), least: 1000, most: 1300, parts: []string{"--- stdout\nout 0\n", "out 999\n", "--- stderr\nerr 0\n", "err 999\n"}, saved: true},
		"few errors":         {tool: printing(1000, 2, Result{}, nil), least: 1000, most: 1300, parts: []string{"out 999\n", "--- stderr\nerr 0\nerr 1"}, saved: true},
		"few, many errors":   {tool: printing(2, 1000, Result{}, nil), least: 1000, most: 1300, parts: []string{"--- stdout\nout 0\nout 1\n--- stderr\nerr 0\n", "err 999"}, saved: true},
		"ended":              {tool: printing(9000, 1, Result{}, timedOut.Becausef("after a while")), least: 8000, most: 8700, parts: []string{`{"error":{"code":"timed_out"`, "out 0\n", "out 8999\n", "err 0\n(whole output: /x)\n" + hint}, saved: true},
		"a fault":            {tool: printing(9, 9, Result{}, errors.New("driver says hunter2")), most: 250, parts: []string{`"code":"internal"`, hint}},
		"other limits":       {tool: printing(1000, 0, Result{}, nil), limits: Limits{Success: 3000}, least: 2900, most: 3200, parts: []string{"left out"}, saved: true},
		"data from outside":  {tool: printing(1000, 0, Result{Untrusted: true}, nil), least: 1000, most: 1500, parts: []string{"<untrusted", "out 0", "</untrusted", "(whole output: /x)"}, saved: true},
		"more than the chat": {tool: printing(9000, 0, Result{Failing: true}, nil), limits: Limits{Inline: 500, Failure: 1 << 20}, least: 500, most: 700, parts: []string{"left out"}, saved: true},
	} {
		t.Run(name, func(t *testing.T) {
			quiet(t)
			r := newRunner(t, tt.tool)
			r.Limits = tt.limits
			saved := ""
			r.Save = func(_ context.Context, _ Call, text string) (string, error) { saved = text; return "/x", nil }
			o := r.Run(t.Context(), request("act", "{}"))
			got := o.Result.Text
			if len(got) < tt.least || len(got) > tt.most {
				t.Errorf("%d bytes, want %d to %d", len(got), tt.least, tt.most)
			}
			at := 0
			for _, part := range tt.parts {
				i := strings.Index(got[at:], part)
				if i < 0 {
					t.Fatalf("%q is missing or out of order in %q", part, got)
				}
				at += i
			}
			if tt.saved != (saved != "") || tt.saved != (o.SavedAs == "/x") {
				t.Errorf("saved %d bytes as %q", len(saved), o.SavedAs)
			}
			if saved != "" && o.Result.Untrusted != strings.HasPrefix(saved, "<untrusted") {
				t.Errorf("saved as %.60q…", saved)
			}
			if strings.Contains(got, "hunter2") || len(o.Result.Streams) > 0 {
				t.Errorf("what is no one's leaves: %q, %v", got, o.Result.Streams)
			}
		})
	}
}

// A page of text that is kept is no output of a command: it is cut as all
// results are.
func TestPersistOfText(t *testing.T) {
	long := numbered("line", 4000)
	c := tool("act", ReadOnly, func(context.Context, Call) (Result, error) { return Result{Text: long}, nil })
	c.Hints.PersistOutput = true
	r := newRunner(t, c)
	r.Save = func(context.Context, Call, string) (string, error) { return "/x", nil }
	if got := r.Run(t.Context(), request("act", "{}")).Result.Text; got != long {
		t.Errorf("%d of %d bytes are left", len(got), len(long))
	}
}

func TestDistill(t *testing.T) {
	long := strings.Repeat("same line\n", 2000)
	half := func(text string) (string, string) { return text[:len(text)/2], "halved" }
	for name, tt := range map[string]struct {
		text    string
		hints   Hints
		cat     Category
		outside bool
		distill func(string) (string, string)
		save    error
		noSave  bool
		want    bool
	}{
		"long":               {text: long, distill: half, want: true},
		"from outside":       {text: long, distill: half, outside: true, want: true},
		"short":              {text: long[:8000], distill: half},
		"over a megabyte":    {text: strings.Repeat(long, 60), distill: half},
		"a command's":        {text: long, distill: half, hints: Hints{PersistOutput: true}},
		"to be copied":       {text: long, distill: half, hints: Hints{Exact: true}},
		"of a file tool":     {text: long, distill: half, cat: CategoryFile},
		"off":                {text: long},
		"nothing gained":     {text: long, distill: func(s string) (string, string) { return s, "" }},
		"little gained":      {text: long, distill: func(s string) (string, string) { return s[1:], "one byte" }},
		"it is not saved":    {text: long, distill: half, save: errors.New("disk full")},
		"nothing is saved":   {text: long, distill: half, noSave: true},
		"the distiller dies": {text: long, distill: func(string) (string, string) { panic("x") }},
	} {
		t.Run(name, func(t *testing.T) {
			quiet(t)
			c := tool("act", ReadOnly, func(context.Context, Call) (Result, error) {
				return Result{Text: tt.text, Untrusted: tt.outside}, nil
			})
			c.Hints, c.Category = tt.hints, tt.cat
			reader := tool("look", ReadOnly, ok)
			r := newRunner(t, c, reader)
			r.Distill, r.Recall = tt.distill, "look"
			saved := ""
			if !tt.noSave {
				r.Save = func(_ context.Context, _ Call, text string) (string, error) { saved = text; return "/x", tt.save }
			}
			o := r.Run(t.Context(), request("act", "{}"))
			note := fmt.Sprintf("\n(distilled from %d bytes: halved)\n(whole output: /x; search it with look, call_id %s)", len(tt.text), o.Call.ID)
			if got := strings.HasSuffix(o.Result.Text, note); got != tt.want {
				t.Errorf("distilled: %v, want %v: …%q", got, tt.want, o.Result.Text[max(0, len(o.Result.Text)-200):])
			}
			if tt.want && (!strings.Contains(saved, tt.text) || tt.outside != strings.HasPrefix(saved, "<untrusted")) {
				t.Errorf("the original was not saved: %.80q", saved)
			}
			if !tt.want && len(tt.text) < 50_000 && len(tt.hints.ConcurrencyKey) == 0 && !tt.hints.PersistOutput && !strings.HasPrefix(o.Result.Text, tt.text[:len(tt.text)-1]) {
				t.Error("what was not distilled is not whole")
			}
		})
	}
}

func TestDisclosure(t *testing.T) {
	refused := &Failure{"refused_here", "the host does not let it in", "ask its owner"}
	for name, tt := range map[string]struct {
		d        Disclosure
		err      error
		has, not string
	}{
		"standard, expected": {"", refused.Becausef("db.example.org says no").With("port", 5432), "db.example.org", "internal"},
		"standard, other":    {Standard, errors.New("pq: password hunter2 is wrong"), "internal error ", "pq:"},
		"verbose, other":     {Verbose, errors.New("pq: password hunter2 is wrong\nstack"), "pq: password ••• is wrong", "stack"},
		"verbose, expected":  {Verbose, refused.Becausef("db.example.org says no"), "db.example.org", "internal"},
		"minimal, expected":  {Minimal, refused.Becausef("db.example.org says no").With("port", 5432), "the host does not let it in", "db.example.org"},
		"minimal, details":   {Minimal, refused.Becausef("no").With("port", 5432), "ask its owner", "5432"},
		"minimal, other":     {Minimal, errors.New("pq: no"), "internal error", "pq:"},
	} {
		t.Run(name, func(t *testing.T) {
			quiet(t)
			r := newRunner(t, tool("act", ReadOnly, func(context.Context, Call) (Result, error) { return Result{}, tt.err }))
			r.Disclosure = tt.d
			r.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
			got := r.Run(t.Context(), request("act", "{}")).Result.Text
			if !strings.Contains(got, tt.has) || strings.Contains(got, tt.not) || strings.Contains(got, "hunter2") || !strings.HasSuffix(got, hint) {
				t.Errorf("told %q; want %q and not %q", got, tt.has, tt.not)
			}
		})
	}
}

// Whatever a command prints, what is shown is bounded, is text and says so.
func FuzzPrinted(f *testing.F) {
	f.Add("head", "out", "err", 10)
	f.Add("", strings.Repeat("é", 500), strings.Repeat("\n", 500), 333)
	f.Add("x\n", "", "\xff", 0)
	f.Fuzz(func(t *testing.T, text, out, errs string, most int) {
		if most < 0 || most > 1<<16 {
			return
		}
		r := Result{Text: text, Streams: []Stream{{"stdout", strings.ToValidUTF8(out, "?")}, {"stderr", strings.ToValidUTF8(errs, "?")}}}
		got := r.printed(most)
		if len(got) > len(text)+most+2*(cutNote+16) {
			t.Errorf("%d bytes of %d", len(got), most)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Error("a character was cut")
		}
		if whole := r.printed(len(out) + len(errs) + 8); !strings.Contains(whole, r.Streams[0].Text) || !strings.Contains(whole, r.Streams[1].Text) {
			t.Error("the whole is not whole")
		}
	})
}
