package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// An Exported memory, as JSON has it.
type Exported struct {
	ID         string    `json:"id"`
	Scope      string    `json:"scope"`
	Subject    string    `json:"subject,omitempty"`
	Category   string    `json:"category"`
	Key        string    `json:"key"`
	Value      string    `json:"value"`
	Confidence float64   `json:"confidence"`
	State      string    `json:"state"`
	Source     string    `json:"source"`
	Session    string    `json:"session,omitempty"`
	At         time.Time `json:"at"`
}

// batch is how many memories are read at once for an export.
const batch = 5000

// Export writes down what is remembered, and what waits: as json everything that
// was ever remembered, as markdown what counts now.
func (b *Book) Export(ctx context.Context, format string) (string, error) {
	state := store.MemoryActive
	switch format {
	case "", "markdown":
	case "json":
		state = ""
	default:
		return "", fmt.Errorf("memory: there is no export as %q: use markdown or json", format)
	}
	var all []Row
	for {
		part, err := b.Store.Memories(ctx, store.MemoryQuery{State: state, Limit: batch, Offset: len(all)})
		if err != nil {
			return "", err
		}
		if all = append(all, part...); len(part) < batch {
			break
		}
	}
	if format == "json" {
		return asJSON(all)
	}
	return asMarkdown(all), nil
}

func asJSON(list []Row) (string, error) {
	out := make([]Exported, len(list))
	for i, m := range list {
		out[i] = Exported{m.ID, m.Scope, m.Subject, m.Category, m.Key, m.Value, m.Confidence, string(m.State), m.Source, m.Session, m.At}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return "", fmt.Errorf("memory: exporting: %w", err)
	}
	return string(text) + "\n", nil
}

func asMarkdown(list []Row) string {
	var out strings.Builder
	out.WriteString("# What Hobkin remembers\n")
	for _, category := range Categories() {
		title := "\n## " + strings.ToUpper(category[:1]) + category[1:] + "\n\n"
		for _, m := range list {
			if m.Category != category {
				continue
			}
			where := ""
			if m.Subject != "" {
				where = fmt.Sprintf(" (%s %s)", m.Scope, m.Subject)
			}
			fmt.Fprintf(&out, "%s- **%s**%s: %s  \n  %s, %s\n", title, m.Key, where, strings.ReplaceAll(m.Value, "\n", "\n  "), m.At.Local().Format(time.DateOnly), m.Source)
			title = ""
		}
	}
	return out.String()
}
