package system

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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
	hide    func(string) string
	limit   int // bytes of output that are shown
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
func (o *outcome) result(ctx context.Context, call capability.Call, save func(context.Context, capability.Call, string) (string, error)) capability.Result {
	data, err := json.Marshal(shellOut{
		ExitCode: o.res.ExitCode, Signal: o.res.Signal, DurationMS: o.res.Duration.Milliseconds(), Shell: o.line.shellName(), Dir: o.line.dir,
		StdoutBytes: o.res.Stdout.Total(), StderrBytes: o.res.Stderr.Total(), Listening: o.listens,
	})
	if err != nil { // numbers and texts always marshal
		data = nil
	}
	stdout, stderr := o.hide(o.res.Stdout.String()), o.hide(o.res.Stderr.String())
	text := o.text(stdout, stderr, o.limit)
	if whole := o.text(stdout, stderr, len(stdout)+len(stderr)); len(text) < len(whole) {
		text += saved(ctx, call, save, whole)
	}
	return capability.Result{Text: text, Data: data, Summary: o.summary()}
}

// saved keeps a whole output and returns the line that says where.
func saved(ctx context.Context, call capability.Call, save func(context.Context, capability.Call, string) (string, error), whole string) string {
	if save == nil {
		return ""
	}
	path, err := save(context.WithoutCancel(ctx), call, whole)
	if err != nil {
		slog.WarnContext(ctx, "system: saving an output", "call", call.ID, "error", err)
		return "(the whole output could not be saved)\n"
	}
	return "(whole output: " + path + ")\n"
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

// text is what the model reads: how it ended, then the streams, together at
// most limit bytes.
func (o *outcome) text(stdout, stderr string, limit int) string {
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
	if o.res.Left {
		b.WriteString("What it had left running was ended; background=true lets a command go on.\n")
	}
	if stdout == "" && stderr == "" {
		b.WriteString("It printed nothing.\n")
	}
	forErr := min(len(stderr), max(limit/3, limit-len(stdout)))
	stream(&b, "stdout", capability.CutMiddle(stdout, limit-forErr))
	stream(&b, "stderr", capability.CutMiddle(stderr, forErr))
	return b.String()
}

func stream(b *strings.Builder, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "--- %s\n%s", name, text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// failureOutput bounds what a failure tells of each stream, in bytes.
const failureOutput = 8 << 10

// failure tells of a command that was ended, with what it had printed.
func (o *outcome) failure(f *capability.Failure, format string, args ...any) error {
	u := f.Becausef(format, args...).With("duration_ms", o.res.Duration.Milliseconds())
	for name, kept := range map[string]*process.Kept{"stdout": o.res.Stdout, "stderr": o.res.Stderr} {
		if text := kept.String(); text != "" {
			u = u.With(name, capability.CutMiddle(o.hide(text), failureOutput))
		}
	}
	if len(o.listens) > 0 {
		u = u.With("listening", o.listens)
	}
	return u
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
