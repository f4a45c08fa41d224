package offline

import (
	"slices"
	"strings"
)

// tellShell tells how a command ended, when not as hoped, and shows its
// streams.
func tellShell(text string) string {
	title, rest, found := strings.Cut(text, "\n--- ")
	head, notes, _ := strings.Cut(strings.TrimSpace(title), "\n")
	if !strings.HasPrefix(head, "Exit code ") && !strings.HasPrefix(head, "Ended by ") && !strings.Contains(head, "shell_output") && !strings.Contains(head, "was ended") {
		return tellBlock("It ran.", "", text)
	}
	head = strings.TrimSuffix(strings.ReplaceAll(head, "Read on with shell_output, end it with shell_kill.", ""), " ")
	if id, _, ok := strings.Cut(head, " has been running"); ok {
		head += " Say `output of command " + id + "` or `stop command " + id + "`."
	}
	if strings.HasPrefix(head, "Exit code 0 ") {
		head = ""
	}
	parts := []string{head, notes}
	for found {
		var stream string
		stream, rest, found = strings.Cut(rest, "\n--- ")
		name, body, _ := strings.Cut(stream, "\n")
		if name == "stderr" {
			parts = append(parts, "On its error output:")
		}
		parts = append(parts, tellBlock("", "", body))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, "\n\n")
}
