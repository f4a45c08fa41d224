package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/provider"
)

// watchReading lets the gate know what conversations have read, and gives the
// text from outside marks that no text can know. It comes after gate and runner
// were made.
func (c *Core) watchReading() {
	c.taint = &permission.Taint{Policy: c.policy}
	c.gate.Taint = c.taint
	c.gate.Hold = c.hold
	c.chat = &permission.Chat{Broker: c.broker}
	c.refused = &permission.RefusalLog{Path: filepath.Join(c.opts.Paths.State, "refused.jsonl"), Redact: c.redactor.Redact}
	c.gate.Refused = c.refused
	c.runner.FrameKey = []byte(rand.Text())
	c.runner.OutputGuards = append(c.runner.OutputGuards, c.taint.Seen)
}

// began tells what a turn starts from: the whole conversation when it is not
// known yet, such as after a restart, else the message that began the turn.
func (c *Core) began(turn capability.Turn, history []provider.Message) {
	if c.taint.Knows(turn.Session) {
		history = history[max(0, len(history)-1):]
	}
	var heard []permission.Heard
	for _, m := range history {
		heard = append(heard, hear(m)...)
	}
	c.taint.Begin(turn, heard)
	c.computer.need(turn)
}

// hear takes what others than the model have put into a message.
func hear(m provider.Message) []permission.Heard {
	if m.Role == provider.RoleAssistant {
		return nil
	}
	var out []permission.Heard
	if policy.ReadOutside(m) && (m.Role != provider.RoleTool || !framed(m)) {
		out = append(out, permission.Heard{Text: leftOutside}) // it was left out to save space, but it was read
	}
	if policy.IsSummary(m) {
		for _, p := range m.Parts {
			if t, ok := p.(provider.Text); ok {
				out = append(out, permission.Heard{Text: t.Text}) // no person wrote it
			}
		}
		return out
	}
	said := permission.Heard{Person: true}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case provider.Text:
			said.Text = strings.TrimPrefix(said.Text+"\n"+p.Text, "\n")
		case provider.Image:
			said.Images++
		case provider.ToolResult:
			out = append(out, permission.Heard{Text: p.Text, Images: len(p.Images)})
		case provider.Reasoning, provider.ToolCall: // the model's own
		}
	}
	if m.Role == provider.RoleUser {
		out = append(out, said)
	}
	return out
}

// leftOutside stands for a text from outside that was left out of the history.
const leftOutside = `<untrusted id="left out">`

// framed reports whether a text from outside stands in a message itself.
func framed(m provider.Message) bool {
	for _, p := range m.Parts {
		if r, ok := p.(provider.ToolResult); ok && strings.Contains(r.Text, "<untrusted id=") {
			return true
		}
	}
	return false
}

// provenance is what the owner's own programs stamp on a message: typed where a
// person is there, else it came by itself.
func provenance(r control.SendRequest) capability.Provenance {
	if r.Attended {
		return capability.FromPerson
	}
	return capability.FromSchedule
}

// checkRefused tells what was stopped without anyone being asked.
func (c *Core) checkRefused(context.Context) control.Check {
	list := c.refused.List()
	if len(list) == 0 {
		return passed("none in the last week")
	}
	last := list[0]
	return warning(fmt.Sprintf("%d in the last week, the last: %s: %s", len(list), last.What, last.Reason),
		"if you did not ask for it, look at what the agent had read before: it may have followed someone else's instructions")
}
