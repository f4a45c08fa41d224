package system

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// An outcome is a command that has ended, to be told.
type outcome struct {
	line    *line
	res     process.Result
	listens []netip.AddrPort
}

// shellOut is the structured result of a command.
type shellOut struct {
	ExitCode    int              `json:"exit_code"`
	Signal      string           `json:"signal,omitempty"`
	DurationMS  int64            `json:"duration_ms"`
	Shell       string           `json:"shell"`
	Dir         string           `json:"dir"`
	StdoutBytes int64            `json:"stdout_bytes"`
	StderrBytes int64            `json:"stderr_bytes"`
	Listening   []netip.AddrPort `json:"listening,omitempty"`
}

// result tells of a command that ended by itself, whatever its exit code.
func (o *outcome) result() capability.Result {
	data, err := json.Marshal(shellOut{
		ExitCode: o.res.ExitCode, Signal: o.res.Signal, DurationMS: o.res.Duration.Milliseconds(), Shell: o.line.shellName(), Dir: o.line.dir,
		StdoutBytes: o.res.Stdout.Total(), StderrBytes: o.res.Stderr.Total(), Listening: o.listens,
	})
	if err != nil { // numbers and texts always marshal
		data = nil
	}
	return capability.Result{
		Text: o.text(), Streams: o.streams(), Failing: o.res.Signal != "" || o.res.ExitCode != 0,
		Data: data, Summary: o.summary(),
	}
}

// streams are what was printed, as far as it was kept.
func (o *outcome) streams() []capability.Stream {
	return []capability.Stream{{Name: "stdout", Text: o.res.Stdout.String()}, {Name: "stderr", Text: o.res.Stderr.String()}}
}

// summary is the line on the tool card.
func (o *outcome) summary() string {
	switch {
	case o.res.Signal != "":
		return o.res.Signal
	case o.res.ExitCode != 0:
		return fmt.Sprintf("exit %d", o.res.ExitCode)
	}
	return "done in " + span(o.res.Duration)
}

// text says how it ended. What was printed follows it.
func (o *outcome) text() string {
	var b strings.Builder
	switch {
	case o.res.Signal != "":
		fmt.Fprintf(&b, "Ended by a signal (%s) after %s", o.res.Signal, span(o.res.Duration))
	default:
		fmt.Fprintf(&b, "Exit code %d after %s", o.res.ExitCode, span(o.res.Duration))
	}
	fmt.Fprintf(&b, ", %s.\n", o.line.inFolder())
	for _, addr := range o.listens {
		b.WriteString("Warning: " + listenWarning(addr) + "\n")
	}
	if o.line.note != "" {
		b.WriteString(o.line.note + "\n")
	}
	b.WriteString(o.line.said())
	b.WriteString(o.hint())
	if o.res.Left {
		b.WriteString("What it had left running was ended; background=true lets a command go on.\n")
	}
	if o.res.Stdout.Total() == 0 && o.res.Stderr.Total() == 0 {
		b.WriteString("It printed nothing.\n")
	}
	return b.String()
}

// failure tells of a command that was ended, with what it had printed.
func (o *outcome) failure(f *capability.Failure, format string, args ...any) (capability.Result, error) {
	u := f.Becausef(format, args...).With("duration_ms", o.res.Duration.Milliseconds())
	if len(o.listens) > 0 {
		u = u.With("listening", o.listens)
	}
	return capability.Result{Streams: o.streams()}, u
}

// span is a duration for people.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
