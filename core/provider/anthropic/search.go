package anthropic

import (
	"encoding/json"
	"regexp"
	"strconv"

	"github.com/hobkin/hobkin/core/provider"
)

// The provider's own search for tools: a request has all tools, most of them
// marked to be left out until the search finds them. What it searched and found
// comes as two blocks of the answer, which go back as they came: a tool that was
// found is known from there on. See the tool search tool in Anthropic's manual.
const (
	searchType   = "tool_search_tool_bm25_20251119"
	searchName   = "tool_search_tool_bm25"
	searchUse    = "server_tool_use"
	searchResult = "tool_search_tool_result"
)

var versioned = regexp.MustCompile(`^claude-(?:opus|sonnet)-(\d{1,2})(?:-(\d{1,2}))?(?:-|$)`)

// searches reports whether a model can search for tools: Opus and Sonnet from
// 4.5 on.
func searches(model string) bool {
	v := versioned.FindStringSubmatch(model)
	if v == nil {
		return false
	}
	major, _ := strconv.Atoi(v[1]) // digits, as the expression says
	minor, _ := strconv.Atoi(v[2]) // or nothing, which is 0
	return major > 4 || major == 4 && minor >= 5
}

// searched are the tools that are left out, with the search for them.
func searched(tools []provider.Tool) []tool {
	if len(tools) == 0 {
		return nil
	}
	out := []tool{{Type: searchType, Name: searchName}}
	for _, t := range tools {
		out = append(out, tool{Name: t.Name, Description: t.Description, InputSchema: provider.ToolSchema(provider.AnthropicSchema, t.Parameters), Defer: true})
	}
	return out
}

// knownTools are the names of a request's tools; nil where it has no search.
func knownTools(req provider.Request) map[string]bool {
	if len(req.Deferred) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, list := range [][]provider.Tool{req.Tools, req.Deferred} {
		for _, t := range list {
			known[t.Name] = true
		}
	}
	return known
}

// A searchBlock is one of the two blocks of a search.
type searchBlock struct {
	Type    string          `json:"type"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	UseID   string          `json:"tool_use_id,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
}

// wholeSearches lists the searches of a message that can go back: those with
// both blocks that found nothing which is gone. A reference to a tool that the
// request has not would make all of it be refused.
func wholeSearches(parts []provider.Part, known map[string]bool) map[string]bool {
	used, whole := map[string]bool{}, map[string]bool{}
	for _, p := range parts {
		var b searchBlock
		r, ok := p.(provider.Reasoning)
		if known == nil || !ok || json.Unmarshal(r.Block, &b) != nil {
			continue
		}
		switch b.Type {
		case searchUse:
			used[b.ID] = true
		case searchResult:
			if used[b.UseID] && allKnown(b.Content, known) {
				whole[b.UseID] = true
			}
		}
	}
	return whole
}

func allKnown(content json.RawMessage, known map[string]bool) bool {
	var found struct {
		References []struct {
			Name string `json:"tool_name"`
		} `json:"tool_references"`
	}
	if json.Unmarshal(content, &found) != nil {
		return false
	}
	for _, ref := range found.References {
		if !known[ref.Name] {
			return false
		}
	}
	return true
}

// search writes a block of a search that is whole.
func search(raw json.RawMessage, whole map[string]bool) []content {
	var b searchBlock
	if json.Unmarshal(raw, &b) != nil {
		return nil
	}
	switch {
	case b.Type == searchUse && whole[b.ID]:
		return []content{{Type: b.Type, ID: b.ID, Name: b.Name, Input: b.Input}}
	case b.Type == searchResult && whole[b.UseID]:
		return []content{{Type: b.Type, ToolUseID: b.UseID, Content: b.Content}}
	}
	return nil
}

// searchPart keeps a block of a search; nil for any other block.
func (d *decoder) searchPart(b *block) provider.Part {
	var keep searchBlock
	switch {
	case b.start.Type == searchUse && b.start.Name == searchName && json.Valid([]byte(b.arguments())):
		keep = searchBlock{Type: searchUse, ID: b.start.ID, Name: searchName, Input: json.RawMessage(b.arguments())}
	case b.start.Type == searchResult && len(b.start.Content) > 0:
		keep = searchBlock{Type: searchResult, UseID: b.start.ToolUseID, Content: b.start.Content}
	default:
		return nil
	}
	raw, err := json.Marshal(keep)
	if err != nil {
		return nil
	}
	return provider.Reasoning{Provider: d.provider, Block: raw}
}
