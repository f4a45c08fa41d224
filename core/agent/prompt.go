package agent

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/core/capability"
)

// Facts is what the prompt says of the surroundings of a turn.
type Facts struct {
	OS      string   // "Debian 12, X11"; empty means the kind of system
	Sandbox string   // what the sandbox lets through, in a sentence
	Marker  string   // a private mark of the session, see [policy.Canary]; empty when there is none
	Extra   []string // parts for the model, in their order: skills, memory, tools that are not ready
}

// prompt builds the system prompt of a turn. It is the same for the same
// facts, byte for byte, so that providers can cache it: parts in a fixed
// order, the date but no clock. More are parts that the turn adds.
func (a *Agent) prompt(turn capability.Turn, more ...string) string {
	var facts Facts
	if a.Facts != nil {
		facts = a.Facts(turn)
	}
	tuned, parts := a.tuning(), []string{text("identity"), text("rules")}
	if !tuned.NoInstructions {
		for _, d := range ReadInstructions(turn.Workspace) {
			parts = append(parts, "# Instructions from "+d.Name+" in the workspace\n\n"+d.Text)
		}
	}
	parts = append(parts, slices.DeleteFunc(more, func(part string) bool { return part == "" })...)
	parts = append(parts, facts.Extra...)
	now := time.Now()
	if tuned.NoDate {
		now = time.Time{}
	}
	parts = append(parts, facts.session(turn, now))
	return strings.Join(parts, "\n\n")
}

// text reads a built-in text; a missing one is a fault of the build.
func text(name string) string {
	b, err := assets.Prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(b))
}

// session is what changes from session to session, so it comes last.
func (f Facts) session(turn capability.Turn, at time.Time) string {
	system := f.OS
	if system == "" {
		system = map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[runtime.GOOS]
	}
	var b strings.Builder
	b.WriteString("# This session\n")
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n- %s: %s", label, value)
		}
	}
	line("System", system)
	line("Workspace", turn.Workspace)
	if !at.IsZero() {
		line("Date", at.Format("Monday, 2 January 2006"))
	}
	line("Mode", modeText(turn.Mode))
	line("Sandbox", f.Sandbox)
	line("Language of the person", turn.Locale)
	line("Marker", f.Marker)
	if !turn.Attended {
		line("Attendance", "no one is there to answer questions; decide with care, or end and say what is missing")
	}
	if turn.Trust != capability.Operator {
		line("Trust", "the person is a guest, not the owner of this computer")
	}
	return b.String()
}

// modeText says what a mode means for the model's plans. The rule itself is
// held where calls are made.
func modeText(mode string) string {
	switch mode {
	case "plan":
		return "plan. You can look at things and change nothing; end with a plan of what you would do"
	case "ask":
		return "ask. The person is asked before anything is changed"
	case "accept_edits":
		return "accept_edits. Changes to files in the workspace go through; the person is asked about the rest"
	case "auto":
		return "auto. What is not risky goes through without a question"
	}
	return mode
}
