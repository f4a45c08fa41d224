package config

import (
	"slices"
	"strconv"

	"github.com/hobkin/hobkin/core/agent/policy/guardrail"
)

// A Guardrail is a check of the owner's. See docs/policies.md.
type Guardrail struct {
	Name    string   `toml:"name" required:"true" comment:"What it is called where it is told of."`
	Stage   string   `toml:"stage" required:"true" enum:"output,tool_use,tool_output" comment:"output is what the model says, tool_use a call before it is approved, tool_output what a tool gave back."`
	Type    string   `toml:"type" required:"true" enum:"regex,blocklist,tool_pattern,llm_judge,mcp,moderation" comment:"How it decides: by a pattern, by words, by the names and arguments of tools, by a model, by a tool of a server, by a provider's moderation."`
	Mode    string   `toml:"mode" enum:",active,advisory" comment:"active acts, advisory only tells. Empty is active."`
	Action  string   `toml:"action" enum:",block,ask" comment:"Of the stage tool_use: block, or ask you first. Empty is block."`
	Tools   []string `toml:"tools" comment:"Tools that it is for; * stands for any letters. Empty is all."`
	Pattern string   `toml:"pattern" comment:"Regular expression (RE2). regex: what must not be there. tool_pattern: what the arguments must have."`
	Words   []string `toml:"words" comment:"Words and phrases of a blocklist, in any case."`
	Replace string   `toml:"replace" comment:"What stands in the place of what a regex or a blocklist found. Empty withholds the whole text."`
	Prompt  string   `toml:"prompt" comment:"What llm_judge checks, in words."`
	Call    string   `toml:"call" comment:"Tool that mcp asks. It gets stage, tool and text and answers {\"allow\": true} or {\"allow\": false, \"reason\": \"…\"}."`
	Source  string   `toml:"source" comment:"moderation: the provider that is asked. llm_judge: the role of the model; empty is background."`
	Model   string   `toml:"model" comment:"Model of the moderation. Empty is omni-moderation-latest."`
	Message string   `toml:"message" comment:"What the model and you are told. Empty is a sentence with its name."`
}

// Rule is g as it is carried out.
func (g Guardrail) Rule() guardrail.Rule {
	return guardrail.Rule{
		Name: g.Name, Stage: guardrail.Stage(g.Stage), Type: guardrail.Type(g.Type), Mode: guardrail.Mode(g.Mode), Action: g.Action,
		Tools: g.Tools, Pattern: g.Pattern, Words: g.Words, Replace: g.Replace, Prompt: g.Prompt, Call: g.Call,
		Source: g.Source, Model: g.Model, Message: g.Message,
	}
}

// checkGuardrails looks at every guardrail as a whole.
func checkGuardrails(d *document, c *Config) (out []Problem) {
	if n := len(c.Guardrails); n > guardrail.MostRules {
		e, _ := d.find([]string{"guardrails", strconv.Itoa(guardrail.MostRules)})
		out = append(out, d.problemAt(e, "", "there are %d guardrails; at most %d are taken", n, guardrail.MostRules))
	}
	names := map[string]bool{}
	for i, g := range c.Guardrails {
		at := []string{"guardrails", strconv.Itoa(i)}
		faults := g.Rule().Faults()
		if names[g.Name] {
			faults = append(faults, guardrail.Fault{Field: "name", Message: "another guardrail has this name"})
		}
		names[g.Name] = true
		faults = append(faults, g.sourceFaults(c)...)
		for _, f := range faults {
			e, ok := d.find(append(slices.Clone(at), f.Field))
			if !ok {
				e, _ = d.find(at)
			}
			out = append(out, d.problemAt(e, "", "guardrail %s: %s", quote(g.Name), f.Message))
		}
	}
	return out
}

// sourceFaults looks whether there is what a model check asks.
func (g Guardrail) sourceFaults(c *Config) []guardrail.Fault {
	fault := func(message string) []guardrail.Fault {
		return []guardrail.Fault{{Field: "source", Message: message}}
	}
	switch {
	case g.Source == "":
	case g.Type == string(guardrail.Moderation):
		if _, err := c.Provider(g.Source); err != nil {
			return fault("no provider is named " + quote(g.Source))
		}
	case g.Type == string(guardrail.LLMJudge) && !slices.Contains(RoleNames(), g.Source):
		return fault("source must be the role of a model, such as background")
	}
	return nil
}
