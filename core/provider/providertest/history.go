package providertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// History makes a conversation as a store may hold it: of several providers,
// with calls, results, thoughts and pictures. Damage then does to it what cut
// files, killed processes and other versions do.
func History(r *rand.Rand) []provider.Message {
	var h []provider.Message
	for turn := range 1 + r.IntN(5) {
		h = append(h, provider.Message{Role: provider.RoleUser, Parts: some(r, 1, person)})
		who := []string{"openai", "anthropic", "openrouter", "google", "xai"}[r.IntN(5)]
		for step := range r.IntN(4) {
			said, results := stepOf(r, who, fmt.Sprint(turn, "-", step))
			h = append(h, said)
			if len(results.Parts) > 0 {
				h = append(h, results)
			}
		}
		h = append(h, provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: words(r)}}})
	}
	return append(h, provider.Message{Role: provider.RoleUser, Parts: some(r, 1, person)})
}

func some(r *rand.Rand, least int, one func(*rand.Rand) provider.Part) (parts []provider.Part) {
	for range least + r.IntN(2) {
		parts = append(parts, one(r))
	}
	return parts
}

func person(r *rand.Rand) provider.Part {
	if r.IntN(5) == 0 {
		return image(r)
	}
	return provider.Text{Text: words(r)}
}

// stepOf is an answer of a model, with the results of its calls.
func stepOf(r *rand.Rand, who, id string) (said, results provider.Message) {
	said, results.Role = provider.Message{Role: provider.RoleAssistant}, provider.RoleTool
	if r.IntN(2) == 0 {
		said.Parts = append(said.Parts, thought(r, who))
	}
	if r.IntN(2) == 0 {
		said.Parts = append(said.Parts, provider.Text{Text: words(r)})
	}
	for n := range r.IntN(4) {
		call := provider.ToolCall{ID: fmt.Sprint("call_", id, "-", n), Name: oneOf(r, "file_read", "shell", "mcp.other/tool", ""), Args: oneOf(r, `{}`, `{"path":"a"}`, `{"a":[1,2`, ``, `null`, `[1]`, "{\"a\":\"\xff\"}")}
		if r.IntN(4) == 0 {
			call.Signature = words(r)
		}
		said.Parts = append(said.Parts, call)
		result := provider.ToolResult{CallID: call.ID, Name: call.Name, Text: words(r), Failed: r.IntN(5) == 0}
		for range r.IntN(2) * r.IntN(3) {
			result.Images = append(result.Images, image(r))
		}
		results.Parts = append(results.Parts, result)
	}
	return said, results
}

func thought(r *rand.Rand, who string) provider.Reasoning {
	t := provider.Reasoning{Text: words(r), Provider: who}
	switch r.IntN(4) {
	case 0:
		t.Signature = "c2lnbmVk"
	case 1:
		t.Encrypted = "ZW5jcnlwdGVk"
	case 2:
		t.Encrypted = `[{"type":"reasoning.text","text":"x"}]`
	}
	return t
}

func image(r *rand.Rand) provider.Image {
	return provider.Image{
		MIME: oneOf(r, "image/png", "image/jpeg", "application/pdf", ""),
		Data: []byte(oneOf(r, "\x89PNG\r\n\x1a\nrest", "\xff\xd8\xff\xe0rest", "GIF89arest", "%PDF", "")),
	}
}

func words(r *rand.Rand) string {
	return oneOf(r, "read notes.txt", "", " ", "\n\t", "gr\u00fc\u00dfe", "broken \xc3( text", "{\"a\":1}", strings.Repeat("long ", 500), "\x00", "[Image]")
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// Damage deletes, repeats, reorders, cuts and mixes up messages and parts, in
// as many steps as told. The history that it is given stays as it is.
func Damage(r *rand.Rand, h []provider.Message, steps int) []provider.Message {
	h = slices.Clone(h)
	for range steps {
		if len(h) == 0 {
			return h
		}
		i, j := r.IntN(len(h)), r.IntN(len(h))
		switch r.IntN(9) {
		case 0:
			h = slices.Delete(h, i, i+1)
		case 1:
			h = slices.Insert(h, j, h[i])
		case 2:
			h[i], h[j] = h[j], h[i]
		case 3:
			h = h[:i]
		case 4:
			h = h[i:]
		case 5:
			h[i].Role = provider.Role(oneOf(r, "user", "assistant", "tool", "system", ""))
		default:
			h[i].Parts = damageParts(r, h[i].Parts, h[j].Parts)
		}
	}
	return h
}

// damageParts does the same to the parts of a message; others are those of
// another one.
func damageParts(r *rand.Rand, parts, others []provider.Part) []provider.Part {
	parts = slices.Clone(parts)
	if len(parts) == 0 {
		return slices.Clone(others)
	}
	i, j := r.IntN(len(parts)), r.IntN(len(parts))
	switch r.IntN(6) {
	case 0:
		return slices.Delete(parts, i, i+1)
	case 1:
		return slices.Insert(parts, j, parts[i])
	case 2:
		parts[i], parts[j] = parts[j], parts[i]
	case 3:
		return append(parts, others...)
	case 4:
		return nil
	case 5:
		parts[i] = otherID(r, parts[i])
	}
	return parts
}

// otherID gives calls and results ids that clash, miss or are no ids.
func otherID(r *rand.Rand, p provider.Part) provider.Part {
	id := oneOf(r, "", "call_0-0-0", "call_1-0-0", strings.Repeat("long", 40), "a b/c", "\xff")
	switch p := p.(type) {
	case provider.ToolCall:
		p.ID = id
		return p
	case provider.ToolResult:
		p.CallID = id
		return p
	case provider.Text, provider.Image, provider.Reasoning:
	}
	return p
}
