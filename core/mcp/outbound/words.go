package outbound

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/process"
)

// obituary says how the program ended, with its last words.
func (p *program) obituary(r process.Result) error {
	how := fmt.Sprintf("it ended with exit code %d", r.ExitCode)
	switch {
	case r.Stopped:
		how = "it was stopped"
	case r.Signal != "":
		how = "it was ended by the signal " + r.Signal
	}
	if words := p.lastWords(); words != "" {
		how += "; its last words: " + words
	}
	return errors.New(how)
}

// lastWords are the last lines of standard error, or else of what it printed
// that was no message.
func (p *program) lastWords() string {
	if p.proc == nil {
		return ""
	}
	text := strings.TrimSpace(p.proc.Kept(process.Stderr).String())
	if text == "" {
		text, _ = p.sample.Load().(string)
	}
	lines := strings.Split(text, "\n")
	text = strings.TrimSpace(strings.Join(lines[max(0, len(lines)-5):], "\n"))
	if len(text) > 500 {
		text = "…" + strings.ToValidUTF8(text[len(text)-500:], "")
	}
	return text
}

// stderr is what the program said on standard error: the beginning and the end
// of it.
func (p *program) stderr() string {
	if p.proc == nil {
		return ""
	}
	return p.proc.Kept(process.Stderr).String()
}

// containsText reports whether an error says something already.
func containsText(err error, text string) bool { return strings.Contains(err.Error(), text) }
