package session

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/store"
)

// Export writes a session as a document. The formats are markdown, html and
// json; json loses nothing, the others are for reading.
func Export(format string, s store.Session, events []agent.Event) (string, error) {
	switch format {
	case "markdown":
		return markdown(s, entries(events)), nil
	case "html":
		return page(s, entries(events))
	case "json":
		return lossless(s, events)
	}
	return "", fmt.Errorf("%q is no format of a document", format)
}

// An entry is one thing that was said or done.
type entry struct {
	Who     string // You, Hobkin or Note
	Text    string
	Tool    string // name in words; then Who is empty
	Touched string
	Args    string
	Result  string
	Diff    string
	Failed  bool
}

func entries(events []agent.Event) (out []entry) {
	calls := map[string]int{}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case agent.InputMessage:
			out = append(out, entry{Who: "You", Text: p.Text})
		case agent.OutputCompleted:
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, entry{Who: "Hobkin", Text: p.Text})
			}
		case agent.ToolStarted:
			calls[p.Call] = len(out)
			out = append(out, entry{Tool: p.Title, Touched: p.Summary, Args: string(p.Args)})
		case agent.ToolCompleted:
			if i, ok := calls[p.Call]; ok {
				out[i].Result, out[i].Diff, out[i].Failed = p.Text, p.Diff, p.Failed
			}
		case agent.ApprovalResolved:
			out = append(out, entry{Who: "Note", Text: "Approval: " + p.Decision + by(p.By)})
		case agent.TurnFailed:
			out = append(out, entry{Who: "Note", Text: "Could not finish: " + p.Message})
		case agent.TurnCancelled:
			out = append(out, entry{Who: "Note", Text: "Stopped."})
		case agent.TurnSealed:
			out = append(out, entry{Who: "Note", Text: "Stopped: " + p.Reason})
		case agent.Notice:
			out = append(out, entry{Who: "Note", Text: p.Text})
		default: // no part of the conversation
		}
	}
	return out
}

func by(surface string) string {
	if surface == "" {
		return ""
	}
	return " (" + surface + ")"
}

func markdown(s store.Session, list []entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s · %s\n", s.Title, s.Created.Local().Format(time.DateTime), s.Workspace)
	for _, e := range list {
		switch {
		case e.Tool != "":
			fmt.Fprintf(&b, "\n**%s** %s%s\n", e.Tool, e.Touched, failed(e.Failed))
			if e.Diff != "" {
				fence(&b, "diff", e.Diff)
			} else if e.Result != "" {
				fence(&b, "", e.Result)
			}
		case e.Who == "Note":
			fmt.Fprintf(&b, "\n> %s\n", strings.ReplaceAll(e.Text, "\n", "\n> "))
		default:
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", e.Who, e.Text)
		}
	}
	return b.String()
}

func failed(yes bool) string {
	if yes {
		return " (failed)"
	}
	return ""
}

// fence writes a code block whose fence is longer than any in the text.
func fence(b *strings.Builder, lang, text string) {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	fmt.Fprintf(b, "\n%s%s\n%s\n%s\n", mark, lang, strings.TrimRight(text, "\n"), mark)
}

var pageTmpl = template.Must(template.New("session").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#23211e;background:#f7f6f3}
pre{background:#efede8;padding:.7em;border-radius:8px;overflow:auto;white-space:pre-wrap}
.you{background:#efede8;border-radius:10px;padding:.6em .9em;margin:1em 0;white-space:pre-wrap}
.said{white-space:pre-wrap;margin:1em 0}.note{color:#6b6660}details{border:1px solid #ddd9d2;border-radius:10px;padding:.5em .8em;margin:.5em 0;background:#fff}
@media(prefers-color-scheme:dark){body{color:#ece8e1;background:#1d1c1a}pre,.you{background:#252422}details{background:#2c2a28;border-color:#3b3936}.note{color:#a19a90}}
</style></head><body><h1>{{.Title}}</h1><p class="note">{{.When}} · {{.Workspace}}</p>
{{range .Entries}}{{if .Tool}}<details><summary><b>{{.Tool}}</b> {{.Touched}}{{if .Failed}} (failed){{end}}</summary><pre>{{.Args}}</pre><pre>{{if .Diff}}{{.Diff}}{{else}}{{.Result}}{{end}}</pre></details>
{{else if eq .Who "You"}}<div class="you">{{.Text}}</div>
{{else if eq .Who "Note"}}<p class="note">{{.Text}}</p>
{{else}}<div class="said">{{.Text}}</div>
{{end}}{{end}}</body></html>
`))

func page(s store.Session, list []entry) (string, error) {
	var b strings.Builder
	err := pageTmpl.Execute(&b, struct {
		Title, When, Workspace string
		Entries                []entry
	}{s.Title, s.Created.Local().Format(time.DateTime), s.Workspace, list})
	return b.String(), err
}

func lossless(s store.Session, events []agent.Event) (string, error) {
	b, err := json.MarshalIndent(struct {
		ID        string        `json:"id"`
		Title     string        `json:"title"`
		Workspace string        `json:"workspace"`
		Created   time.Time     `json:"created"`
		Events    []agent.Event `json:"events"`
	}{s.ID, s.Title, s.Workspace, s.Created, events}, "", "  ")
	return string(b), err
}
