package guardrail

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

func said(text string) Subject { return Subject{Stage: Output, Text: text} }
func fetched(text string) Subject {
	return Subject{Stage: ToolOutput, Tool: "web_fetch", Text: text}
}

func calls(tool, args string) Subject {
	return Subject{Stage: ToolUse, Tool: tool, Args: json.RawMessage(args)}
}
func finds(hit bool, why string) (f Finding) { return Finding{Hit: hit, Reason: why} }
func judging(f Finding, err error) (s Services) {
	s.Judge = func(context.Context, Rule, Subject) (Finding, error) { return f, err }
	s.Moderate, s.Call = s.Judge, s.Judge
	return s
}

func TestCheck(t *testing.T) {
	key := Rule{Name: "keys", Stage: Output, Type: Regex, Pattern: `sk-[a-z0-9]{8,}`}
	mask, words, shell := key, Rule{Name: "words", Stage: ToolOutput, Type: Blocklist, Words: []string{"Project Zeus", "naïve"}}, Rule{Name: "no push", Stage: ToolUse, Type: ToolPattern, Tools: []string{"shell", "git_*"}, Pattern: `push\b.*--force`}
	mask.Replace = "[key]"
	judge := Rule{Name: "tone", Stage: Output, Type: LLMJudge, Prompt: "no insults"}
	advisory, never := key, shell
	advisory.Mode, never.Pattern = Advisory, ""
	mcp, moderation := judge, judge
	mcp.Type, mcp.Prompt, mcp.Call = MCP, "", "check_text"
	moderation.Type, moderation.Prompt, moderation.Source = Moderation, "", "openai"
	own := key
	own.Message = "Keys stay here."
	for name, tt := range map[string]struct {
		rule     Rule
		services Services
		s        Subject
		blocked  bool
		text     string // of what passes
		told     string // a part of what the person is told; empty for nothing
	}{
		"clean":                    {key, Services{}, said("all is well"), false, "all is well", ""},
		"found":                    {key, Services{}, said("it is sk-abcdefgh1"), true, "", "The guardrail “keys” does not allow this answer."},
		"its own words":            {own, Services{}, said("it is sk-abcdefgh1"), true, "", "Keys stay here."},
		"another stage":            {key, Services{}, fetched("sk-abcdefgh1"), false, "sk-abcdefgh1", ""},
		"hidden by no width":       {key, Services{}, said("s\u200bk-abcd\u200defgh1"), true, "", "keys"},
		"hidden by wide letters":   {key, Services{}, said("ｓk-abcdefgh1"), true, "", "keys"},
		"replaced":                 {mask, Services{}, said("a sk-abcdefgh1 b sk-abcdefgh2"), false, "a [key] b [key]", "replaced a part of this answer"},
		"replaced, more is hidden": {mask, Services{}, said("a sk-abcdefgh1 b ｓk-abcdefgh2"), true, "", "does not allow"},
		"advisory":                 {advisory, Services{}, said("it is sk-abcdefgh1"), false, "it is sk-abcdefgh1", "Only noted: The guardrail “keys”"},
		"a phrase":                 {words, Services{}, fetched("about PROJECT\n zeus, which"), true, "", "this result of web_fetch"},
		"a part of a word":         {words, Services{}, fetched("projectzeus, Project Zeuss, naïvely"), false, "projectzeus, Project Zeuss, naïvely", ""},
		"a word, decomposed":       {words, Services{}, fetched("so nai\u0308ve"), true, "", "words"},
		"a call":                   {shell, Services{}, calls("shell", `{"command":"git push origin --force"}`), true, "", "this call of shell"},
		"a call, escaped":          {shell, Services{}, calls("git_write", `{"command":"git p\u0075sh \u002d-force"}`), true, "", "git_write"},
		"another call":             {shell, Services{}, calls("shell", `{"command":"git push"}`), false, "", ""},
		"another tool":             {shell, Services{}, calls("file_write", `{"text":"push --force"}`), false, "", ""},
		"a tool by its alias":      {Rule{Name: "no bash", Stage: ToolUse, Type: ToolPattern, Tools: []string{"Bash"}}, Services{}, Subject{Stage: ToolUse, Tool: "shell", Alias: []string{"Bash"}, Args: json.RawMessage(`{}`)}, true, "", "no bash"},
		"a tool at all":            {never, Services{}, calls("git_read", `{}`), true, "", "no push"},
		"the judge allows":         {judge, judging(finds(false, ""), nil), said("hello"), false, "hello", ""},
		"the judge blocks":         {judge, judging(finds(true, "it insults"), nil), said("hello"), true, "", "does not allow this answer: it insults."},
		"the judge fails":          {judge, judging(finds(true, ""), errors.New("503")), said("hello"), false, "hello", "could not check this answer: it gave no clear answer. It was let through."},
		"there is no judge":        {judge, Services{}, said("hello"), false, "hello", "It was let through."},
		"a server blocks":          {mcp, judging(finds(true, ""), nil), said("hello"), true, "", "tone"},
		"moderation blocks":        {moderation, judging(finds(true, "violence"), nil), said("hello"), true, "", "violence"},
		"moderation fails":         {moderation, judging(Finding{}, errors.New("x")), said("hello"), false, "hello", "let through"},
		"empty text":               {key, Services{}, said(""), false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			told := ""
			tt.services.Tell = func(_ context.Context, _ capability.Turn, sentence string) { told += sentence + "\n" }
			set, err := New([]Rule{tt.rule}, tt.services)
			if err != nil {
				t.Fatal(err)
			}
			v := set.Check(t.Context(), tt.s)
			if v.Blocked != tt.blocked || v.Text != tt.text || v.Blocked != (v.Reason != "") {
				t.Errorf("got %+v, want blocked %v, %q", v, tt.blocked, tt.text)
			}
			if !strings.Contains(told, tt.told) || (tt.told == "") != (told == "") {
				t.Errorf("told %q, want %q", told, tt.told)
			}
		})
	}
}

// A rule that asks is not asked where rules that block are, and the reverse.
func TestActs(t *testing.T) {
	rule := func(stage Stage, mode Mode) Rule {
		return Rule{Name: "r", Stage: stage, Type: Regex, Pattern: "x", Mode: mode}
	}
	for name, tt := range map[string]struct {
		rules []Rule
		want  bool
	}{
		"none":          {nil, false},
		"advisory":      {[]Rule{rule(Output, Advisory)}, false},
		"another stage": {[]Rule{rule(ToolOutput, Active)}, false},
		"active":        {[]Rule{rule(Output, Advisory), rule(Output, Active)}, true},
		"the default":   {[]Rule{rule(Output, "")}, true},
	} {
		set, err := New(tt.rules, Services{})
		if err != nil || set.Acts(Output) != tt.want {
			t.Errorf("%s: %v, %v", name, !tt.want, err)
		}
	}
}

func TestAsks(t *testing.T) {
	set, err := New([]Rule{
		{Name: "ask first", Stage: ToolUse, Type: Regex, Pattern: "deploy", Action: Ask},
		{Name: "never", Stage: ToolUse, Type: Regex, Pattern: "destroy"},
		{Name: "noted", Stage: ToolUse, Type: Regex, Pattern: "deploy", Action: Ask, Mode: Advisory},
	}, Services{})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][2]bool{`{"c":"ls"}`: {}, `{"c":"deploy"}`: {false, true}, `{"c":"destroy"}`: {true, false}, `{"c":"deploy destroy"}`: {true, true}} {
		s := calls("shell", args)
		ask, reason := set.Asks(t.Context(), s)
		if v := set.Check(t.Context(), s); v.Blocked != want[0] || ask != want[1] || ask != (reason != "") {
			t.Errorf("%s: blocked %v, ask %v, want %v", args, v.Blocked, ask, want)
		}
	}
	if v := (*Set)(nil).Check(t.Context(), said("x")); v.Blocked || v.Text != "x" {
		t.Errorf("no rules at all: %+v", v)
	}
}

// What goes with a text is checked by its letters alone, and nothing is told of
// it a second time.
func TestAside(t *testing.T) {
	told := false
	services := judging(finds(true, ""), nil)
	services.Tell = func(context.Context, capability.Turn, string) { told = true }
	set, err := New([]Rule{{Name: "judge", Stage: ToolOutput, Type: LLMJudge, Prompt: "x"}, {Name: "key", Stage: ToolOutput, Type: Regex, Pattern: "sk-x"}}, services)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"fine": false, "sk-x": true} {
		s := fetched(text)
		s.Aside = true
		if v := set.Check(t.Context(), s); v.Blocked != want || told {
			t.Errorf("%s: %+v, told %v", text, v, told)
		}
	}
}

// All model checks of a text have ten seconds together, and one that has
// answered counts although another has not.
func TestModelChecksTakeNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := ""
		set, err := New([]Rule{
			{Name: "slow", Stage: Output, Type: LLMJudge, Prompt: "slow"},
			{Name: "slower", Stage: Output, Type: LLMJudge, Prompt: "slow"},
			{Name: "quick", Stage: Output, Type: LLMJudge, Prompt: "quick"},
			{Name: "dead", Stage: Output, Type: LLMJudge, Prompt: "dead"},
		}, Services{
			Judge: func(ctx context.Context, r Rule, _ Subject) (Finding, error) {
				switch r.Prompt {
				case "quick":
					return Finding{Hit: true}, nil
				case "dead":
					panic("x")
				}
				<-ctx.Done()
				return Finding{}, ctx.Err()
			},
			Tell: func(_ context.Context, _ capability.Turn, s string) { told += s },
		})
		if err != nil {
			t.Fatal(err)
		}
		v := set.Check(t.Context(), said("x"))
		if !v.Blocked || !strings.Contains(v.Reason, "quick") || strings.Count(told, "let through") != 3 {
			t.Errorf("%+v, told %q", v, told)
		}
	})
}

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		rule  Rule
		field string
		has   string // a part of the sentence; empty when the rule is right
	}{
		"right":                  {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: "x+"}, "", ""},
		"no name":                {Rule{Stage: Output, Type: Regex, Pattern: "x"}, "name", "needs a name"},
		"no type":                {Rule{Name: "a", Stage: Output}, "type", "no type"},
		"a bad pattern":          {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: `köln(x|[z-a])`}, "pattern", "invalid character class range at character 9 (z-a)"},
		"an open bracket":        {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: `ab(`}, "pattern", "missing closing )"},
		"a pattern for all":      {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: `x*`}, "pattern", "fits an empty text"},
		"no pattern":             {Rule{Name: "a", Stage: Output, Type: Regex}, "", "needs pattern"},
		"a huge pattern":         {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: strings.Repeat("x", 5000)}, "pattern", "at most 4096"},
		"no words":               {Rule{Name: "a", Stage: Output, Type: Blocklist}, "", "needs words"},
		"an empty word":          {Rule{Name: "a", Stage: Output, Type: Blocklist, Words: []string{"x", " \u200b"}}, "words", "no word"},
		"words for a regex":      {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: "x", Words: []string{"y"}}, "words", "does not use words"},
		"a tool that speaks":     {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: "x", Tools: []string{"shell"}}, "tools", "comes from no tool"},
		"a bad name of a tool":   {Rule{Name: "a", Stage: ToolUse, Type: ToolPattern, Tools: []string{"[a"}}, "tools", "no name of a tool"},
		"tool_pattern elsewhere": {Rule{Name: "a", Stage: ToolOutput, Type: ToolPattern, Tools: []string{"x"}}, "stage", "must be tool_use"},
		"asking elsewhere":       {Rule{Name: "a", Stage: Output, Type: Regex, Pattern: "x", Action: Ask}, "action", "can ask"},
		"replacing a call":       {Rule{Name: "a", Stage: ToolUse, Type: Regex, Pattern: "x", Replace: "y"}, "replace", "for texts"},
		"a judge without a rule": {Rule{Name: "a", Stage: Output, Type: LLMJudge}, "", "needs prompt"},
		"mcp without a tool":     {Rule{Name: "a", Stage: Output, Type: MCP}, "", "needs call"},
		"moderation by no one":   {Rule{Name: "a", Stage: Output, Type: Moderation}, "", "needs source"},
	} {
		faults := tt.rule.Faults()
		switch {
		case tt.has == "" && len(faults) > 0:
			t.Errorf("%s: %+v", name, faults)
		case tt.has != "" && (len(faults) == 0 || faults[0].Field != tt.field || !strings.Contains(faults[0].Message, tt.has)):
			t.Errorf("%s: %+v, want %s: %s", name, faults, tt.field, tt.has)
		}
		if _, err := New([]Rule{tt.rule}, Services{}); (err == nil) != (tt.has == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(make([]Rule, MostRules+1), Services{}); err == nil {
		t.Error("65 rules are taken")
	}
}

// Whatever a rule and a text are: what passes Faults can be used, what passes a
// rule does not have what the rule forbids, and text stays text.
func FuzzRegex(f *testing.F) {
	f.Add("sk-[a-z]+", "a sk-abc", "[key]", "zeus")
	f.Add("(?i)x|yy", "XyY", "", "naïve")
	f.Add("[z-a]", "x", "x", " ")
	f.Add(`\bé`, "é\u0301\u200b", "\xff", "e\u0301")
	f.Fuzz(func(t *testing.T, pattern, text, replace, word string) {
		if !utf8.ValidString(text) || !utf8.ValidString(replace) || len(text) > 10_000 {
			return
		}
		for _, r := range []Rule{
			{Name: "r", Stage: Output, Type: Regex, Pattern: pattern, Replace: replace},
			{Name: "b", Stage: ToolOutput, Type: Blocklist, Words: []string{word}, Replace: replace},
			{Name: "u", Stage: ToolUse, Type: ToolPattern, Tools: []string{"*"}, Pattern: pattern},
		} {
			faults := r.Faults()
			set, err := New([]Rule{r}, Services{})
			if (err == nil) != (len(faults) == 0) {
				t.Fatalf("faults %v, error %v", faults, err)
			}
			if err != nil {
				continue
			}
			raw, _ := json.Marshal(map[string]string{"text": text})
			v := set.Check(t.Context(), Subject{Stage: r.Stage, Text: text, Args: raw})
			if !utf8.ValidString(v.Text) || v.Blocked && v.Text != "" {
				t.Errorf("%+v", v)
			}
			if c := set.checks[0]; !v.Blocked && replace == "" && r.Stage != ToolUse && len(c.find(v.Text)) > 0 {
				t.Errorf("%q passed %q", v.Text, pattern)
			}
		}
	})
}
