package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// quiet is how long after a question appears input is thrown away: it was typed
// before the question could be read.
const quiet = 500 * time.Millisecond

// approve shows the whole call and lets a person decide. An answer given
// elsewhere meanwhile counts, and is told.
func (t *turn) approve(ctx context.Context, p agent.ApprovalRequested) error {
	t.shower.endLine()
	t.describe(p)
	choices := "  y once · s for this session · n deny"
	if p.Rule != "" {
		choices += " · a always, by the rule " + p.Rule
	}
	t.print(choices)

	drain(ctx, t.lines, quiet)
	for {
		_, _ = io.WriteString(t.err, "  Allow? [y/s/n] ")
		line, ok := t.next(ctx)
		if !ok {
			return t.decide(ctx, p, "deny")
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return t.decide(ctx, p, "once")
		case "s":
			return t.decide(ctx, p, "session")
		case "a":
			if p.Rule != "" {
				return t.decide(ctx, p, "always")
			}
		case "n", "no":
			return t.decide(ctx, p, "deny")
		}
		if strings.HasPrefix(line, "/") && !t.command(ctx, p.ID, line) {
			return nil
		}
	}
}

func (t *turn) decide(ctx context.Context, p agent.ApprovalRequested, decision string) error {
	err := t.client.Answer(context.WithoutCancel(ctx), control.ApprovalAnswer{ID: p.ID, Fingerprint: p.Fingerprint, Decision: decision, By: "terminal"})
	if e, ok := errors.AsType[*control.Error](err); ok {
		t.print("  " + e.Message) // answered elsewhere, or too late: the turn goes on by that
		return nil
	}
	return err
}

// answer fills in a form. Secrets are typed like the rest: a terminal that is
// read in lines cannot hide them, so that is said first.
func (t *turn) answer(ctx context.Context, q agent.QuestionAsked) error {
	answers := map[string][]string{}
	for _, question := range q.Questions {
		got, ok := t.field(ctx, question)
		if !ok {
			return nil
		}
		answers[question.ID] = got
	}
	err := t.client.AnswerQuestion(ctx, control.QuestionAnswer{ID: q.ID, Answers: answers, By: "terminal"})
	if e, ok := errors.AsType[*control.Error](err); ok {
		t.print("  " + e.Message)
		return nil
	}
	return err
}

func (t *turn) field(ctx context.Context, q agent.Question) ([]string, bool) {
	t.shower.endLine()
	t.print(t.paint(yellow, or(clean(q.Header), "A question")) + "  " + indented(clean(q.Question))[len(margin):])
	if q.Kind == "secret" {
		t.print("  (it will be visible here while you type; it is kept in the keyring, not in the conversation)")
	}
	for i, o := range q.Options {
		t.print(fmt.Sprintf("  %d  %s", i+1, indented(clean(o))[len(margin):]))
	}
	for {
		_, _ = io.WriteString(t.err, "  > ")
		line, ok := t.next(ctx)
		if !ok {
			return nil, false
		}
		if got, ok := choose(q, line); ok {
			return got, true
		}
		t.print("  Choose by number.")
	}
}

// choose reads an answer: numbers for options, several where that is allowed,
// or free text.
func choose(q agent.Question, line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if q.Kind != "choice" {
		return []string{line}, line != ""
	}
	var got []string
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 || n > len(q.Options) {
			if i := slices.Index(q.Options, line); i >= 0 {
				return []string{line}, true
			}
			return []string{line}, q.AllowOther
		}
		got = append(got, q.Options[n-1])
	}
	return got, len(got) == 1 || len(got) > 1 && q.MultiSelect
}

func (t *turn) print(text string) { _, _ = fmt.Fprintln(t.err, text) }

// next waits for a line. It reports false when no more will come.
func (t *turn) next(ctx context.Context) (string, bool) {
	select {
	case <-ctx.Done():
		return "", false
	case line, ok := <-t.lines:
		return line, ok
	}
}

// drain throws away lines for a while.
func drain(ctx context.Context, lines <-chan string, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case _, ok := <-lines:
			if !ok {
				return
			}
		}
	}
}

// diff colours a unified diff.
func (t *turn) diff(d string) string {
	var b strings.Builder
	for line := range strings.Lines(d) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "+"):
			line = t.paint(green, line)
		case strings.HasPrefix(line, "-"):
			line = t.paint(red, line)
		}
		b.WriteString("    " + line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
