package session

import (
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/store"
)

// markdown writes blocks so that nothing in them can be taken for the frame:
// words of people are quoted, and what tools gave lies behind fences that are
// longer than any in it.
func markdown(s store.Session, list []*block) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\n", line(name(s)))
	for _, f := range facts(s) {
		fmt.Fprintf(&out, "- %s: %s\n", f.Name, line(f.Value))
	}
	speaker := kind("")
	for _, b := range list {
		if heading := (map[kind]string{user: "You", assistant: "Hobkin"})[b.Kind]; heading != "" && b.Kind != speaker {
			fmt.Fprintf(&out, "\n## %s\n", heading)
		}
		if b.Kind == user || b.Kind == assistant {
			speaker = b.Kind
		}
		switch b.Kind {
		case user:
			out.WriteString("\n" + quoted(b.Text) + "\n")
		case assistant:
			out.WriteString("\n" + strings.TrimSpace(b.Text) + "\n")
		case notice:
			out.WriteString("\n*" + line(b.Text) + "*\n")
		case tool:
			markdownTool(&out, b)
		}
	}
	return out.String()
}

func markdownTool(out *strings.Builder, b *block) {
	fmt.Fprintf(out, "\n**%s**", line(b.Tool.Head()))
	if b.Tool.Outcome != "" {
		out.WriteString(" — " + line(b.Tool.Outcome))
	}
	out.WriteString("\n")
	for _, n := range b.Tool.Notes {
		out.WriteString("\n- " + line(n))
	}
	if len(b.Tool.Notes) > 0 {
		out.WriteString("\n")
	}
	fenced(out, "json", b.Tool.Args)
	if b.Tool.Diff != "" {
		fenced(out, "diff", b.Tool.Diff)
	} else {
		fenced(out, "text", b.Text)
	}
	if b.Tool.SavedAs != "" {
		out.WriteString("\nThe whole output: " + line(b.Tool.SavedAs) + "\n")
	}
}

// fenced writes a code block. Its fence is longer than any run of back-ticks in it.
func fenced(out *strings.Builder, language, text string) {
	if text == "" {
		return
	}
	longest, n := 2, 0
	for _, r := range text {
		if r != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", longest+1)
	fmt.Fprintf(out, "\n%s%s\n%s\n%s\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

func quoted(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimSpace(text))
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// marks are what Markdown could take for its own inside a line.
var marks = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "|", `\|`)

// line writes words as plain text in one line.
func line(text string) string { return marks.Replace(strings.Join(strings.Fields(text), " ")) }
