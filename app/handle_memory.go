package app

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/memory"
	"github.com/hobkin/hobkin/core/store"
)

// byOwner is whose a change is that comes from a window or a terminal.
const byOwner = "owner"

func (c *Core) memories(ctx context.Context, q control.MemoryQuery) (control.MemoryList, error) {
	out := control.MemoryList{Memories: []control.Memory{}}
	list, err := c.memoryQuery(ctx, q)
	if err != nil {
		return out, err
	}
	for _, m := range list {
		out.Memories = append(out.Memories, shownMemory(m))
	}
	if out.Active, err = c.store.CountMemories(ctx, store.MemoryActive); err == nil {
		out.Held, err = c.store.CountMemories(ctx, store.MemoryHeld)
	}
	return out, err
}

func (c *Core) memoryQuery(ctx context.Context, q control.MemoryQuery) ([]store.Memory, error) {
	if q.Search != "" {
		hits, err := c.store.SearchMemories(ctx, q.Search, nil, or0(q.Limit, 50))
		list := make([]store.Memory, 0, len(hits))
		for _, h := range hits {
			if q.Category == "" || h.Category == q.Category {
				list = append(list, h.Memory)
			}
		}
		return list, err
	}
	query := store.MemoryQuery{State: store.MemoryState(or(q.State, string(store.MemoryActive))), Limit: q.Limit, Offset: q.Offset}
	if q.State == "all" {
		query.State = ""
	}
	if q.Category != "" {
		query.Categories = []string{q.Category}
	}
	return c.store.Memories(ctx, query)
}

func or0(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

func shownMemory(m store.Memory) control.Memory {
	return control.Memory{
		ID: m.ID, Scope: m.Scope, Subject: m.Subject, Category: m.Category, Key: m.Key, Value: m.Value, Confidence: m.Confidence,
		State: string(m.State), Action: m.Action, Target: m.Target, Session: m.Session, Turn: m.Turn, Source: m.Source, Reason: m.Reason, At: m.At, Changed: m.Changed,
	}
}

func (c *Core) memoryShow(ctx context.Context, r control.ID) (control.MemoryDetail, error) {
	m, err := c.memory.book.Get(ctx, r.ID)
	if err != nil {
		return control.MemoryDetail{}, err
	}
	out := control.MemoryDetail{Memory: shownMemory(m), Versions: []control.Memory{}, History: []control.MemoryEvent{}}
	versions, err := c.store.MemoryVersions(ctx, m.ID)
	if err != nil {
		return out, err
	}
	for _, v := range versions {
		out.Versions = append(out.Versions, shownMemory(v))
	}
	history, err := c.store.MemoryHistory(ctx, m.ID)
	for _, e := range history {
		out.History = append(out.History, control.MemoryEvent(e))
	}
	return out, err
}

func (c *Core) memoryAdd(ctx context.Context, ch control.MemoryChange) (control.Memory, error) {
	out, err := c.memory.book.Admit(ctx, memory.Candidate{
		Trust: capability.Operator, Scope: ch.Scope, Category: ch.Category, Key: ch.Key, Value: ch.Value, Confidence: 1, Source: "you wrote it", By: byOwner,
	})
	return shownMemory(out.Row), err
}

func (c *Core) memoryEdit(ctx context.Context, ch control.MemoryChange) (control.Memory, error) {
	out, err := c.memory.book.Edit(ctx, ch.ID, memory.Edit{Key: ch.Key, Value: ch.Value, Category: ch.Category}, byOwner)
	return shownMemory(out.Row), err
}

func (c *Core) memoryForget(ctx context.Context, r control.ID) (control.Memory, error) {
	return c.changeMemory(ctx, r, c.memory.book.Forget)
}

func (c *Core) memoryRestore(ctx context.Context, r control.ID) (control.Memory, error) {
	return c.changeMemory(ctx, r, c.memory.book.Restore)
}

func (c *Core) memoryApprove(ctx context.Context, r control.ID) (control.Memory, error) {
	return c.changeMemory(ctx, r, c.memory.book.Approve)
}

func (c *Core) memoryDeny(ctx context.Context, r control.ID) (control.Memory, error) {
	return c.changeMemory(ctx, r, c.memory.book.Deny)
}

func (c *Core) changeMemory(ctx context.Context, r control.ID, do func(ctx context.Context, id, by string) (memory.Row, error)) (control.Memory, error) {
	m, err := do(ctx, r.ID, byOwner)
	return shownMemory(m), err
}

func (c *Core) memoryExport(ctx context.Context, f control.ExportFormat) (string, error) {
	return c.memory.book.Export(ctx, f.Format)
}

func (c *Core) memorySources(ctx context.Context, _ none) ([]control.MemorySource, error) {
	out := []control.MemorySource{}
	list, err := c.memory.book.Sources(ctx)
	for _, x := range list {
		out = append(out, shownSource(x))
	}
	return out, err
}

func shownSource(x store.MemorySource) control.MemorySource {
	return control.MemorySource{Path: x.Path, Bytes: x.Bytes, Passages: x.Passages, Problem: x.Problem, Read: x.Read}
}

func (c *Core) memorySourceAdd(ctx context.Context, r control.MemorySource) (control.MemorySource, error) {
	x, err := c.memory.book.AddSource(ctx, r.Path)
	return shownSource(x), err
}

func (c *Core) memorySourceRemove(ctx context.Context, r control.MemorySource) error {
	return c.memory.book.RemoveSource(ctx, r.Path)
}
