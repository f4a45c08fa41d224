package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// MemoryAbout is where a memory comes from.
func MemoryAbout(m control.Memory) say.Phrase {
	return say.P("{{.Category}} · {{.Key}} · told by {{.Source}} on {{.Day}}",
		"Category", say.P(m.Category), "Key", m.Key, "Source", m.Source, "Day", day(m.At))
}

func day(t time.Time) string { return t.Local().Format("2006-01-02") }

// MemoryStatus is the state of a memory in words.
func MemoryStatus(m control.Memory) (say.Phrase, Mood) {
	switch m.State {
	case "held":
		if m.Reason != "" {
			return say.P("Waits for you: {{.Reason}}", "Reason", short(m.Reason)), Ask
		}
		return say.P("Waits for you"), Ask
	case "active":
		return say.P("Remembered"), Good
	}
	return say.P("Not remembered any more"), Quiet
}

// Versions is the text of what became of a memory: its versions, the oldest
// first, and what was done to it.
func Versions(d control.MemoryDetail) string {
	var b strings.Builder
	for _, v := range d.Versions {
		b.WriteString(day(v.At) + "  " + v.State + "  " + v.Value + "\n")
	}
	b.WriteString("\n")
	for _, e := range d.History {
		b.WriteString(e.At.Local().Format("2006-01-02 15:04") + "  " + e.Action + "  " + e.By + "\n")
	}
	return b.String()
}

// Earlier is the version before the one that counts, if there is one.
func Earlier(d control.MemoryDetail) (control.Memory, bool) {
	for _, v := range slices.Backward(d.Versions) {
		if v.State != "active" && v.State != "held" {
			return v, true
		}
	}
	return control.Memory{}, false
}
