// Package guardrail has the owner's own checks of what the agent says, calls
// and reads: rules of the settings, in the order in which they stand there.
//
//	what the model says     → output      ┐
//	a call before approval  → tool_use    ├─ regex, blocklist, tool_pattern: at once, and closed when they fail
//	what a tool gave back   → tool_output ┘  llm_judge, mcp, moderation: together, within 10 s, open when they fail
//
// An active rule blocks, asks or replaces; an advisory one only tells. What a
// check that failed let through is told as well.
package guardrail

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// A Rule is one check, as the settings have it.
type Rule struct {
	Name  string
	Stage Stage
	Type  Type
	Mode  Mode // empty means active

	Action  string   // of an active rule for tool_use: block (the default) or ask
	Tools   []string // names of tools it is for, * and ? in them; empty means all
	Pattern string   // regex: what must not be there; tool_pattern: what the arguments must have, empty for any
	Words   []string // blocklist: words and phrases, in any case
	Replace string   // regex and blocklist: what stands in the place of what was found; empty withholds the whole
	Prompt  string   // llm_judge: the rule in words
	Call    string   // mcp: the tool that decides
	Source  string   // moderation: the provider; llm_judge: the role of the model
	Model   string   // moderation: the provider's model
	Message string   // what the model and the person are told; empty is a sentence with the name
}

// A Stage is when a rule is asked.
type Stage string

// The stages.
const (
	Output     Stage = "output"
	ToolUse    Stage = "tool_use"
	ToolOutput Stage = "tool_output"
)

// A Type is how a rule decides.
type Type string

// The types.
const (
	Regex       Type = "regex"
	Blocklist   Type = "blocklist"
	ToolPattern Type = "tool_pattern"
	LLMJudge    Type = "llm_judge"
	MCP         Type = "mcp"
	Moderation  Type = "moderation"
)

// A Mode says whether a rule acts.
type Mode string

// The modes.
const (
	Active   Mode = "active"
	Advisory Mode = "advisory"
)

// Ask is the action that has a person decide.
const Ask = "ask"

// Bounds of the rules.
const (
	MostRules   = 64
	maxPattern  = 4096
	maxWords    = 1000
	maxWord     = 200
	maxSentence = 4000
)

// A Fault is something wrong with a rule.
type Fault struct {
	Field   string // the setting, such as pattern; empty for the rule as a whole
	Message string // a sentence without the place
}

// Faults lists what is wrong with r.
func (r Rule) Faults() (out []Fault) {
	bad := func(field, format string, args ...any) {
		out = append(out, Fault{field, fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(r.Name) == "" || len(r.Name) > 64 {
		bad("name", "a guardrail needs a name of at most 64 letters")
	}
	if r.Type == ToolPattern && r.Stage != ToolUse {
		bad("stage", "a tool_pattern looks at calls, so its stage must be tool_use")
	}
	if r.Action != "" && r.Action != "block" && r.Stage != ToolUse {
		bad("action", "only a guardrail of the stage tool_use can ask; the others block")
	}
	if r.Stage == Output && len(r.Tools) > 0 {
		bad("tools", "what the model says comes from no tool; leave tools out, or use the stage tool_output")
	}
	for _, name := range r.Tools {
		if _, err := path.Match(name, "x"); err != nil || name == "" {
			bad("tools", "%q is no name of a tool, nor a pattern of one", name)
		}
	}
	for field, s := range map[string]string{"prompt": r.Prompt, "message": r.Message, "replace": r.Replace} {
		if len(s) > maxSentence {
			bad(field, "%s is %d bytes long; at most %d are taken", field, len(s), maxSentence)
		}
	}
	r.typeFaults(bad)
	slices.SortFunc(out, func(a, b Fault) int { return strings.Compare(a.Field+a.Message, b.Field+b.Message) })
	return out
}

// uses are the settings that a type works with, beside those of all.
var uses = map[Type][]string{
	Regex: {"pattern", "replace"}, Blocklist: {"words", "replace"}, ToolPattern: {"pattern"},
	LLMJudge: {"prompt", "source"}, MCP: {"call"}, Moderation: {"source", "model"},
}

// needs are those of them that must be given.
var needs = map[Type]string{Regex: "pattern", Blocklist: "words", ToolPattern: "tools", LLMJudge: "prompt", MCP: "call", Moderation: "source"}

func (r Rule) typeFaults(bad func(field, format string, args ...any)) {
	given := map[string]bool{
		"pattern": r.Pattern != "", "words": len(r.Words) > 0, "replace": r.Replace != "", "prompt": r.Prompt != "",
		"call": r.Call != "", "source": r.Source != "", "model": r.Model != "", "tools": len(r.Tools) > 0,
	}
	allowed, known := uses[r.Type]
	if !known {
		bad("type", "%q is no type of guardrail", string(r.Type))
		return
	}
	if need := needs[r.Type]; !given[need] {
		bad("", "a guardrail of the type %s needs %s", r.Type, need)
	}
	for field, is := range given {
		if is && field != "tools" && !slices.Contains(allowed, field) {
			bad(field, "a guardrail of the type %s does not use %s", r.Type, field)
		}
	}
	if r.Replace != "" && r.Stage == ToolUse {
		bad("replace", "a call is blocked or asked about; replace is for texts")
	}
	switch re, err := compile(r.Pattern); {
	case err != nil:
		bad("pattern", "%v", err)
	case r.Type == Regex && r.Pattern != "" && re.MatchString(""):
		bad("pattern", "the pattern fits an empty text, so it would fit every one")
	}
	r.wordFaults(bad)
}

func (r Rule) wordFaults(bad func(field, format string, args ...any)) {
	if len(r.Words) > maxWords {
		bad("words", "there are %d words; at most %d are taken", len(r.Words), maxWords)
	}
	for _, w := range r.Words {
		if len(strings.Fields(plain(w))) == 0 || len(w) > maxWord {
			bad("words", "%.40q is no word or phrase of at most %d bytes", w, maxWord)
		}
	}
}

// compile reads a pattern. Its error says what is wrong and at which character.
func compile(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is %d bytes long; at most %d are taken", len(pattern), maxPattern)
	}
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return nil, errors.New("the pattern is no regular expression")
	}
	where := ""
	if at := strings.LastIndex(pattern, bad.Expr); bad.Expr != "" && at >= 0 {
		where = fmt.Sprintf(" at character %d (%s)", len([]rune(pattern[:at]))+1, bad.Expr)
	}
	return nil, fmt.Errorf("the pattern is no regular expression: %s%s", bad.Code, where)
}
