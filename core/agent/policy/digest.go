package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// Bounds of what is kept without a model.
const (
	keptRequests = 20       // of the user, the newest
	keptPaths    = 40       // that calls named, the newest
	requestRunes = 300      // bytes of one request
	digestBytes  = 16 << 10 // of an earlier summary
	skillBytes   = 32 << 10 // of the texts of skills
)

// Digest says in words what must not be lost of a conversation: files, what the
// user asked for, and what an earlier summary said. It needs no model. Most
// bounds it, in bytes.
func Digest(covered []provider.Message, most int) string {
	var parts []string
	add := func(title, text string) {
		if text != "" {
			parts = append(parts, "## "+title+"\n\n"+text)
		}
	}
	add("Before that", earlierOf(covered))
	add("What the user asked for", requests(covered))
	add("Files and folders that calls named", strings.Join(paths(covered), "\n"))
	if len(parts) == 0 {
		return "Nothing of it is known any more."
	}
	return capability.CutMiddle(strings.Join(parts, "\n\n"), most)
}

// What begins the parts of a summary that are kept as they stand.
const (
	skillPrefix = "[A skill that is in use:]\n\n"
	planPrefix  = "[The plan as it was written last:]\n\n"
)

// Kept is what a summary is not trusted with: the texts of skills and the plan,
// as they stand, the newest of them within so many bytes.
func Kept(covered []provider.Message, most int) []string {
	var skills []string
	plan, room := "", min(most, skillBytes)
	keep := func(skill string) {
		if len(skill) <= room && !slices.Contains(skills, skill) {
			skills, room = append(skills, skill), room-len(skill)
		}
	}
	for _, m := range slices.Backward(covered) {
		for _, p := range slices.Backward(m.Parts) {
			text, kind := keepable(p)
			switch {
			case kind == skillPrefix:
				keep(text)
			case kind == planPrefix && plan == "":
				plan = text
			}
		}
	}
	slices.Reverse(skills)
	if plan != "" {
		skills = append(skills, plan)
	}
	return skills
}

// keepable returns a part's text as [Kept] keeps it, and what kind it is.
func keepable(p provider.Part) (text, kind string) {
	switch p := p.(type) {
	case provider.ToolResult:
		switch {
		case p.Failed || strings.HasPrefix(p.Text, maskPrefix):
		case isSkill(p.Name):
			return skillPrefix + p.Text, skillPrefix
		case p.Name == PlanTool:
			return planPrefix + p.Text, planPrefix
		}
	case provider.Text:
		for _, kind := range []string{skillPrefix, planPrefix} {
			if strings.HasPrefix(p.Text, kind) {
				return p.Text, kind
			}
		}
	case provider.Image, provider.Reasoning, provider.ToolCall:
	}
	return "", ""
}

func earlierOf(covered []provider.Message) string {
	for _, m := range slices.Backward(covered) {
		if text, ok := earlier(m); ok {
			return capability.CutMiddle(text, digestBytes)
		}
	}
	return ""
}

func requests(covered []provider.Message) string {
	var lines []string
	for _, m := range slices.Backward(covered) {
		if m.Role != provider.RoleUser || len(lines) == keptRequests {
			continue
		}
		if _, ok := earlier(m); ok {
			break
		}
		if text := words(m); text != "" {
			lines = append(lines, "- "+capability.CutText(text, requestRunes))
		}
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

func words(m provider.Message) string {
	var out []string
	for _, p := range m.Parts {
		if t, ok := p.(provider.Text); ok {
			out = append(out, strings.Join(strings.Fields(t.Text), " "))
		}
	}
	return strings.Join(out, " ")
}

// paths lists what calls named as files or folders, the newest last.
func paths(covered []provider.Message) []string {
	var out []string
	for _, m := range slices.Backward(covered) {
		for _, p := range m.Parts {
			c, ok := p.(provider.ToolCall)
			if !ok || len(c.Args) > 64<<10 {
				continue
			}
			var args map[string]any
			if json.Unmarshal([]byte(c.Args), &args) != nil {
				continue
			}
			for _, key := range []string{"path", "file", "from", "to", "folder"} {
				if s, ok := args[key].(string); ok && s != "" && len(s) <= 512 && !slices.Contains(out, "- "+s) && len(out) < keptPaths {
					out = append(out, "- "+s)
				}
			}
		}
	}
	slices.Reverse(out)
	return out
}

// Bounds of one entry of a transcript, in bytes.
const (
	transcriptArgs   = 500
	transcriptResult = 1500
	transcriptText   = 16 << 10
)

// Transcript writes a conversation down for a model that sums it up, in at most
// so many bytes. Thoughts and pictures are left out.
func Transcript(covered []provider.Message, most int) string {
	var b strings.Builder
	for _, m := range covered {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.Text:
				fmt.Fprintf(&b, "%s: %s\n\n", map[provider.Role]string{provider.RoleUser: "User", provider.RoleAssistant: "Assistant"}[m.Role], capability.CutMiddle(p.Text, transcriptText))
			case provider.ToolCall:
				fmt.Fprintf(&b, "Call: %s %s\n\n", p.Name, capability.CutMiddle(p.Args, transcriptArgs))
			case provider.ToolResult:
				state := "Result"
				if p.Failed {
					state = "Failure"
				}
				fmt.Fprintf(&b, "%s of %s: %s\n\n", state, p.Name, capability.CutMiddle(p.Text, transcriptResult))
			case provider.Image:
				b.WriteString("(a picture)\n\n")
			case provider.Reasoning:
			}
		}
	}
	return capability.CutMiddle(b.String(), most)
}
