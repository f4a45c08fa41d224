package setup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// ProgramTitle is the browser that was found, by its name and version.
func ProgramTitle(b control.Browser) say.Phrase {
	switch {
	case b.Program == "":
		return say.P("No browser")
	case b.Shell:
		return say.P("Chromium {{.Version}}, without windows", "Version", b.Version)
	}
	return say.P("Chromium {{.Version}}", "Version", b.Version)
}

// ProgramStatus is the state of the browser in words.
func ProgramStatus(b control.Browser, t *control.BrowserTrial) (say.Phrase, Mood) {
	switch {
	case b.Reason != "":
		return say.P("Cannot be used: {{.Reason}}", "Reason", short(b.Reason)), Bad
	case t != nil && !t.OK:
		return say.P("Does not work: {{.Reason}}", "Reason", short(t.Detail)), Bad
	case !b.Enabled:
		return say.P("Switched off"), Quiet
	case t != nil:
		return say.P("Works: its first page was there after {{.Seconds}} s", "Seconds", seconds(t.Millis)), Good
	case !b.Screen:
		return say.P("Found. There is no screen to show windows on"), Good
	case b.Headless || b.Shell:
		return say.P("Found. It works without a window"), Good
	}
	return say.P("Found. It works in a window that you can watch"), Good
}

func seconds(millis int64) string { return strconv.FormatFloat(float64(millis)/1000, 'f', 1, 64) }

// ProfileAbout is how large a profile is and when it was last used.
func ProfileAbout(p control.BrowserProfile) say.Phrase {
	if p.Used.IsZero() {
		return say.P("Not used yet")
	}
	return say.P("{{.Size}} · last used on {{.Day}}", "Size", size(p.Bytes), "Day", day(p.Used))
}

func size(bytes int64) string {
	switch {
	case bytes < 1_000_000:
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	case bytes < 1_000_000_000:
		return fmt.Sprintf("%d MB", bytes/1_000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// ProfileStatus is the state of a profile in words.
func ProfileStatus(p control.BrowserProfile) (say.Phrase, Mood) {
	switch {
	case p.Running && p.Window:
		return say.P("Open in a window · {{.N}} tabs", "N", p.Tabs), Good
	case p.Running:
		return say.P("At work · {{.N}} tabs", "N", p.Tabs), Good
	}
	return say.P("Closed"), Quiet
}

// Hosts reads what a person wrote of hosts: parted by commas, spaces or lines.
func Hosts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ;\n\t", r) })
}

// hostsValue is a list of hosts as a setting.
func hostsValue(hosts []string) string {
	quoted := make([]string, len(hosts))
	for i, h := range hosts {
		quoted[i] = strconv.Quote(h)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Port reads the port of a browser; 0 is none.
func Port(text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n != 0 && (n < 1024 || n > 65535) {
		return 0, say.Err("The port is a number from 1024 to 65535")
	}
	return n, nil
}
