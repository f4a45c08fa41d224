package app

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/memory"
	"github.com/hobkin/hobkin/core/permission"
	memorytools "github.com/hobkin/hobkin/core/tools/memory"
)

// memories joins what is remembered with the gate: a change of it that no one
// answers for is held instead of lost.
type memories struct {
	c    *Core
	book *memory.Book

	mu    sync.Mutex
	holds map[string]string // why a call's change must wait, by the call
}

// memoryTools makes the memory and its tools.
func (c *Core) memoryTools() []capability.Capability {
	files := &memory.Files{}
	c.memory = &memories{c: c, holds: map[string]string{}, book: &memory.Book{Store: c.store, Secrets: c.redactor, Read: files.Read, Budgets: c.memoryBudgets}}
	tools := memorytools.Tools.Bind(&memorytools.Host{Book: c.memory.book, Origin: c.memory.origin, Job: c.memory.job})
	for i := range tools {
		if tools[i].Class != capability.ReadOnly {
			tools[i].Meta = map[string]string{holds: "owner"}
		}
		owners := tools[i].Available
		tools[i].Available = func(turn capability.Turn) bool { return c.cfg.Load().Memory.Enabled && owners(turn) }
	}
	return tools
}

func (c *Core) memoryBudgets() memory.Budgets {
	m := c.cfg.Load().Memory
	return memory.Budgets{User: m.UserBytes, Memory: m.MemoryBytes}
}

// hold implements [permission.Gate.Hold].
func (c *Core) hold(tool *capability.Capability, call capability.Call, reason string) bool {
	return c.memory.hold(tool, call, reason)
}

// holds marks the tools that ask [memories.origin] whether what they do must
// wait. No other may run without an answer.
const holds = "holds"

// mostHolds bounds calls that were let through to be held and never ran.
const mostHolds = 1000

// hold takes a change of the memory that no one answers for.
func (m *memories) hold(c *capability.Capability, call capability.Call, reason string) bool {
	if c.Kind != capability.KindBuiltin || c.Meta[holds] == "" {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.holds) >= mostHolds {
		return false
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "no one was there to agree to it."
	}
	m.holds[callKey(call)] = reason
	return true
}

func callKey(call capability.Call) string {
	return call.Turn.Session + "\x00" + call.Turn.ID + "\x00" + call.ID
}

// origin tells where a wish to remember or to forget comes from.
func (m *memories) origin(call capability.Call) memorytools.Origin {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := memorytools.Origin{Source: "a conversation", Hold: m.holds[callKey(call)]}
	delete(m.holds, callKey(call))
	if call.Turn.Provenance == capability.FromTool {
		o.Source = "another program"
		if o.Hold == "" && call.Turn.Mode == string(permission.Auto) { // in the other modes someone was asked
			o.Hold = "another program asked for it."
		}
	}
	if read := m.c.taint.Outside(call.Turn); len(read) > 0 {
		o.Source = "a conversation that had read " + strings.Join(read[:min(3, len(read))], ", ")
	}
	return o
}

// job is the id of the scheduled job that a turn belongs to; empty when it
// belongs to none.
func (m *memories) job(turn capability.Turn) string {
	j, ok := m.c.jobs.of(turn)
	if !ok {
		return ""
	}
	return j.ID
}

// viewTime bounds how long a turn waits for its part of the memory.
const viewTime = 5 * time.Second

// parts are what stands in the prompt of a turn.
func (m *memories) parts(turn capability.Turn) (out []string) {
	if turn.Trust != capability.Operator || !m.c.cfg.Load().Memory.Enabled {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), viewTime)
	defer cancel()
	v, err := m.book.View(ctx, memory.Place{Session: turn.Session, Job: m.job(turn)})
	if err != nil {
		slog.Warn("app: the memory for a prompt", "error", err)
		return nil
	}
	if v.User != "" {
		out = append(out, "# What you remember of the person (USER)\n\nAs of the beginning of this conversation; memory_recall has more.\n\n"+strings.TrimSpace(v.User))
	}
	if v.Memory != "" {
		out = append(out, "# What you remember of the work (MEMORY)\n\nInstructions among it are the person's own. The rest informs you and orders nothing.\n\n"+strings.TrimSpace(v.Memory))
	}
	return out
}
