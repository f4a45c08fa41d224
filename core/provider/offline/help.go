package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	identity = "I am the built-in offline helper, not a language model."
	howTo    = "I understand plain requests for what the tools do."
	connect  = "open Settings, Models in the window; or store a key with `hobkin secrets set openai` and choose a model with `hobkin config set models.main.provider openai` and `hobkin config set models.main.model NAME`; or start a local server such as Ollama, which is found by itself."
)

// puzzled is the answer to what was not understood: the nearest tools, and how
// to get a real model.
func (t *talk) puzzled() string {
	switch {
	case strings.TrimSpace(t.text) == "" && t.images:
		return identity + " I cannot look at pictures. To have them looked at, connect a model: " + connect
	case strings.TrimSpace(t.text) == "":
		return identity + " " + howTo + "\n\n" + t.samples()
	case len(t.tools) == 0:
		return identity + " I did not understand that, and no tool is offered here. To talk freely, connect a model: " + connect
	}
	var b strings.Builder
	b.WriteString(identity + " I did not understand that. The nearest I can do:\n\n")
	for _, name := range t.nearest(3) {
		b.WriteString(t.line(name))
	}
	b.WriteString("\nSay `help` to see everything. To talk freely, connect a model: " + connect)
	return b.String()
}

// line shows a tool with something to say for it.
func (t *talk) line(name string) string {
	tool, _ := t.tool(name)
	for _, e := range Examples() {
		if e.Call == name {
			return fmt.Sprintf("- `%s`: say `%s`\n", name, e.Say)
		}
	}
	what, _, _ := strings.Cut(tool.Description, ". ")
	return fmt.Sprintf("- `%s`: %s (`/tool %s key=value`)\n", name, strings.TrimSuffix(oneLine(what), "."), name)
}

// nearest ranks the offered tools by the words they share with the message.
func (t *talk) nearest(n int) []string {
	asked := stems(t.text)
	type ranked struct {
		name  string
		score int
	}
	list := make([]ranked, len(t.tools))
	said := map[string]string{}
	for _, e := range Examples() {
		said[e.Call] += " " + e.Say
	}
	for i, tool := range t.tools {
		score := 0
		for weight, text := range map[int]string{4: strings.ReplaceAll(tool.Name, "_", " "), 2: said[tool.Name], 1: tool.Description} {
			for w := range stems(text) {
				if asked[w] {
					score += weight
				}
			}
		}
		if score == 0 { // the everyday ones, before those that nobody asks for
			score = -slices.Index(everyday, tool.Name) - 1
			if !slices.Contains(everyday, tool.Name) {
				score = -100
			}
		}
		list[i] = ranked{tool.Name, score}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	var names []string
	for _, r := range list[:min(n, len(list))] {
		names = append(names, r.name)
	}
	return names
}

var everyday = strings.Fields("file_read content_search git_read list_dir shell file_edit")

// stems are the words of a text without endings, the common ones left out.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if len(w) < 3 || slices.Contains(strings.Fields("the and for you can with what that this how are from please all not its his her was has have one two"), w) {
			continue
		}
		for _, end := range []string{"ing", "ed", "es", "s"} {
			if stem := strings.TrimSuffix(w, end); stem != w && len(stem) > 2 {
				w = stem
				break
			}
		}
		out[strings.TrimSuffix(w, "e")] = true
		if len(out) > 300 {
			break
		}
	}
	return out
}

// samples are three things to say.
func (t *talk) samples() string {
	var b strings.Builder
	n := 0
	for _, name := range everyday {
		if t.has(name) && n < 3 {
			b.WriteString(t.line(name))
			n++
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// abilities lists what is offered, in groups, each with something to say.
func (t *talk) abilities() string {
	var b strings.Builder
	b.WriteString(identity + " " + howTo)
	told := map[string]bool{}
	for _, g := range groups {
		var lines []string
		for _, e := range Examples() {
			if e.Group == g && t.has(e.Call) && !e.Other {
				lines = append(lines, "- "+e.Say)
				told[e.Call] = true
			}
		}
		if len(lines) > 0 {
			b.WriteString("\n\n**" + g + "**\n\n" + strings.Join(lines, "\n"))
		}
	}
	var more []string
	for _, tool := range t.tools {
		if !told[tool.Name] {
			more = append(more, "`"+tool.Name+"`")
		}
	}
	if len(more) > 0 {
		b.WriteString("\n\nWritten out, as `/tool NAME key=value key2=\"several words\"`: " + strings.Join(more, ", ") + ".")
	}
	if len(t.tools) == 0 {
		b.WriteString(" No tool is offered here.")
	}
	b.WriteString("\n\nTo talk freely, connect a model: " + connect)
	return b.String()
}

// needs says what makes a tool be offered, where that is known.
var needs = map[string]string{
	"web_fetch": "the web tools", "web_search": "the web tools", "memory_store": "the memory", "memory_recall": "the memory", "memory_forget": "the memory", "schedule_job": "the scheduler",
	"list_jobs": "the scheduler", "notify": "the desktop's notifications",
}

// notOffered says plainly that the tool which a request needs is not there,
// and why that may be.
func (t *talk) notOffered(tool string) string {
	out := "I understood that, but it needs the tool `" + tool + "`, which is not offered in this session. "
	switch {
	case strings.Contains(t.system, "Mode: plan"):
		return out + "In plan mode only tools that look are offered: choose another mode, such as Ask first, to change something."
	case needs[tool] != "":
		return out + "It comes with " + needs[tool] + ": they may be switched off in the settings (`hobkin config get tools.disabled`), or not set up yet (`hobkin doctor`)."
	}
	return out + "It may be switched off in the settings (`hobkin config get tools.disabled`), not set up yet (`hobkin doctor`), or spelt in another way; `hobkin tools list` shows what there is."
}
