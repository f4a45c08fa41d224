package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/hobkin/hobkin/core/agent"
)

// A shower prints a turn's events for a person: the answer on standard output,
// what was done for it on standard error, so that a pipe gets the answer alone.
type shower struct {
	*cli
	failed  error             // the first write of the answer that failed
	open    bool              // text was written since the last line end
	shown   strings.Builder   // text of this step, to see what a completed text adds
	titles  map[string]string // of calls, by id
	summary map[string]string
}

func (c *cli) shower() *shower {
	return &shower{cli: c, titles: map[string]string{}, summary: map[string]string{}}
}

// show prints one event.
func (s *shower) show(e agent.Event) {
	switch p := e.Payload.(type) {
	case agent.OutputDelta:
		s.write(p.Text)
	case agent.OutputCompleted:
		if rest, ok := strings.CutPrefix(p.Text, s.shown.String()); ok {
			s.write(rest)
		}
		s.endLine()
	case agent.OutputReplaced:
		s.endLine()
		s.write(p.Text)
	case agent.ToolStarted:
		s.titles[p.Call], s.summary[p.Call] = oneLine(p.Title), p.Summary
	case agent.ToolCompleted:
		s.tool(p)
	case agent.ToolOutput:
		s.endLine()
		s.aside(clean(strings.TrimRight(p.Text, "\n")))
	case agent.Notice:
		s.aside(clean(p.Text))
	case agent.ContextCompacted:
		s.aside(shortened(p))
	case agent.TurnFailed:
		s.aside(s.paint(red, "Could not finish: "+clean(p.Message)))
		if p.Try != "" {
			s.aside(clean(p.Try))
		}
	case agent.TurnSealed:
		s.aside(s.paint(yellow, "Stopped: "+clean(p.Reason)))
	case agent.TurnCancelled:
		s.aside(s.paint(yellow, "Stopped."))
	default: // not for the terminal
	}
}

func (s *shower) write(text string) {
	if text == "" {
		return
	}
	s.shown.WriteString(text)
	s.print(text)
	s.open = !strings.HasSuffix(text, "\n")
}

func (s *shower) endLine() {
	if s.open {
		s.print("\n")
	}
	s.open = false
	s.shown.Reset()
}

// print writes to standard output. A closed pipe ends the program by its signal;
// a full disk must not look like an answer.
func (s *shower) print(text string) {
	if _, err := io.WriteString(s.out, clean(text)); err != nil && s.failed == nil {
		s.failed = fmt.Errorf("the answer could not be written: %w", err)
	}
}

func (s *shower) aside(text string) {
	s.endLine()
	_, _ = fmt.Fprintln(s.err, text)
}

func (s *shower) tool(p agent.ToolCompleted) {
	mark := s.paint(green, "✓")
	if p.Failed {
		mark = s.paint(red, "✗")
	}
	facts := []string{}
	for _, f := range []string{s.summary[p.Call], p.Summary} {
		if f != "" {
			facts = append(facts, clean(f))
		}
	}
	took := time.Duration(p.DurationMS) * time.Millisecond
	s.aside(fmt.Sprintf("%s %s  %s", mark, s.paint(bold, s.titles[p.Call]),
		s.paint(dim, strings.Join(append(facts, took.Round(10*time.Millisecond).String()), " · "))))
}

// clean takes out what would steer a terminal instead of being read in it: a
// model, a file or a program could otherwise move the cursor over a question.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, text)
}

// oneLine is clean for what must not begin a line of its own, such as the title
// that a server gives its tool.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// showJSON prints one event as a line of JSON.
func (c *cli) showJSON(e agent.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(b, '\n'))
	return err
}
