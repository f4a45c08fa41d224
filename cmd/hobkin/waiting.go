package main

import (
	"context"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// waiting shows the questions that wait anywhere, each whole, with the token
// that answers it here.
func (c *cli) waiting(ctx context.Context, client *control.Client) {
	list, err := client.Offers(ctx, c.conversation)
	if err != nil {
		c.tell(err, "")
		return
	}
	if len(list) == 0 {
		c.note("No question waits.")
		return
	}
	t := &turn{cli: c, client: client, shower: c.shower()}
	for _, o := range list {
		t.describe(o.Request)
		c.note("  /confirm " + o.Token + "  or  /deny " + o.Token + "  within a minute")
	}
}

// command does what is typed as a command while a question is open. It reports
// whether that question still waits.
func (t *turn) command(ctx context.Context, question, line string) bool {
	switch word, _, _ := strings.Cut(line, " "); word {
	case "/waiting", "/confirm", "/deny": // others would be for the conversation, which waits
		r, err := t.give(ctx, t.client, askFlags{session: t.session}, line)
		if err == nil {
			err = t.heed(ctx, t.client, &askFlags{}, r)
		}
		t.tell(err, "")
	}
	list, err := t.client.Pending(ctx)
	return err != nil || slices.ContainsFunc(list, func(w control.PendingApproval) bool { return w.Request.ID == question })
}

// describe shows the whole of a call that someone is asked about.
func (t *turn) describe(p agent.ApprovalRequested) {
	t.print(t.paint(yellow, p.Preview.Question) + "  " + indented(p.Preview.Summary)[len(margin):])
	if len(p.Commands) == 0 && p.Preview.Diff == "" {
		t.print(indented(p.Tool + " " + string(p.Args)))
	}
	for _, c := range p.Commands {
		t.print(indented(c))
	}
	if p.Preview.Dir != "" {
		t.print("  in " + indented(p.Preview.Dir)[len(margin):])
	}
	if p.Preview.URL != "" {
		t.print("  at " + indented(p.Preview.URL)[len(margin):])
	}
	if p.Preview.Diff != "" {
		t.print(t.diff(p.Preview.Diff))
	}
	for _, w := range p.Preview.Warnings {
		t.print("  " + t.paint(red, "! ") + indented(w)[len(margin):])
	}
	t.print("  " + indented(p.Reason)[len(margin):] + " Risk: " + p.Risk + ".")
}

// margin stands before every line of what the agent wrote, so that none of it
// can be taken for a line of ours, such as a question.
const margin = "    "

func indented(text string) string { return margin + strings.ReplaceAll(text, "\n", "\n"+margin) }
