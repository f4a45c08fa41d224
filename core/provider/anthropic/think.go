package anthropic

import (
	"slices"
	"strings"
)

// budgets are tokens of thinking for models that take a number.
var budgets = map[string]int{"low": 4_000, "medium": 10_000, "high": 24_000}

// leastBudget is the smallest number of tokens that is taken.
const leastBudget = 1024

// byBudget are the beginnings of the names of models that take a budget. Those
// before them do not think, and those after decide by an effort.
var byBudget = []string{
	"claude-3-7", "claude-opus-4-2025", "claude-sonnet-4-2025", "claude-opus-4-0", "claude-sonnet-4-0",
	"claude-opus-4-1", "claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5",
}

// think asks for the effort that is wanted, in the manner of the model.
func (m *Model) think(r *request, effort string) {
	if !m.info.Reasoning || effort == "" || effort == "none" {
		return
	}
	name := m.info.Model[strings.LastIndexByte(m.info.Model, '/')+1:]
	if !m.official && !strings.HasPrefix(name, "claude") {
		return // another vendor's model behind this format: it thinks as it does
	}
	for _, prefix := range byBudget {
		if strings.HasPrefix(name, prefix) || name+"-0" == prefix {
			m.budget(r, effort)
			return
		}
	}
	if strings.HasPrefix(name, "claude-3") {
		return
	}
	r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
	r.OutputConfig = map[string]any{"effort": effort}
}

// budget sets a number of tokens that leaves room for the answer.
func (m *Model) budget(r *request, effort string) {
	n := budgets[effort]
	if r.MaxTokens <= n {
		n = r.MaxTokens / 2
	}
	if n >= leastBudget && !unthought(r.Messages) {
		r.Thinking = &thinking{Type: "enabled", Budget: n}
	}
}

// unthought reports whether the turn under way began without thinking: its calls
// were made by another model or before the effort was changed. Thinking by
// budget cannot begin within a turn.
func unthought(messages []message) bool {
	n := len(messages)
	if n < 2 || !slices.ContainsFunc(messages[n-1].Content, func(c content) bool { return c.Type == "tool_result" }) {
		return false // the user spoke last
	}
	first := messages[n-2].Content[0].Type
	return first != "thinking" && first != "redacted_thinking"
}
