package control

import (
	"context"
	"time"
)

// The methods of the memory.
const (
	MethodMemories      = "memory.list"
	MethodMemory        = "memory.get"
	MethodMemoryAdd     = "memory.add"
	MethodMemoryEdit    = "memory.edit"
	MethodMemoryForget  = "memory.forget"
	MethodMemoryRestore = "memory.restore"
	MethodMemoryApprove = "memory.approve"
	MethodMemoryDeny    = "memory.deny"
	MethodMemoryExport  = "memory.export"
	MethodMemorySources = "memory.sources"
	MethodSourceAdd     = "memory.sources.add"
	MethodSourceRemove  = "memory.sources.remove"
)

// Memory is one thing that is remembered, or that waits to be.
type Memory struct {
	ID         string    `json:"id"`
	Scope      string    `json:"scope"`             // owner, agent, session or job
	Subject    string    `json:"subject,omitempty"` // which session or job
	Category   string    `json:"category"`          // identity, preference, interest, goal, project, environment, instruction or correction
	Key        string    `json:"key"`
	Value      string    `json:"value"`
	Confidence float64   `json:"confidence"`        // 0 to 1
	State      string    `json:"state"`             // active, held, replaced, archived, denied or applied
	Action     string    `json:"action,omitempty"`  // what a held one asks for: add, replace or archive
	Target     string    `json:"target,omitempty"`  // id of the memory whose place it took or would take
	Session    string    `json:"session,omitempty"` // where it was said
	Turn       string    `json:"turn,omitempty"`
	Source     string    `json:"source"`           // who or what told it
	Reason     string    `json:"reason,omitempty"` // why it was held
	At         time.Time `json:"at"`
	Changed    time.Time `json:"changed"` // when its state changed last
}

// MemoryQuery picks memories, the newest first; a search has the best first.
type MemoryQuery struct {
	Search   string `json:"search,omitempty"` // words among what counts; any text is safe
	Category string `json:"category,omitempty"`
	State    string `json:"state,omitempty"` // empty means active; all means every state
	Limit    int    `json:"limit,omitempty"` // 0 means 50
	Offset   int    `json:"offset,omitempty"`
}

// MemoryList is a list of memories.
type MemoryList struct {
	Memories []Memory `json:"memories"`
	Active   int      `json:"active"` // how many count
	Held     int      `json:"held"`   // how many wait for the owner
}

// MemoryEvent is one thing that became of a memory.
type MemoryEvent struct {
	Action string    `json:"action"` // added, held, approved, denied, replaced, archived or restored
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// MemoryDetail is a memory with all that is known of it.
type MemoryDetail struct {
	Memory

	Versions []Memory      `json:"versions"` // it and those before and after it, the oldest first; each can be restored
	History  []MemoryEvent `json:"history"`
}

// MemoryChange is a new memory, or what changes of the one with the id: then
// what is empty stays.
type MemoryChange struct {
	ID       string `json:"id,omitempty"`
	Key      string `json:"key,omitempty"`
	Value    string `json:"value,omitempty"`
	Category string `json:"category,omitempty"`
	Scope    string `json:"scope,omitempty"` // of a new one: owner or agent; empty follows from the category
}

// MemorySource is a file that recall looks into.
type MemorySource struct {
	Path     string    `json:"path"` // absolute
	Bytes    int64     `json:"bytes"`
	Passages int       `json:"passages"`
	Problem  string    `json:"problem,omitempty"` // why it cannot be read, or not wholly, in a sentence
	Read     time.Time `json:"read"`
}

// ExportFormat names the form of an export: markdown or json.
type ExportFormat struct {
	Format string `json:"format"`
}

// Memories lists what is remembered, or waits.
func (c *Client) Memories(ctx context.Context, q MemoryQuery) (MemoryList, error) {
	return ask[MemoryList](ctx, c, MethodMemories, q)
}

// Memory returns a memory by its id, or the first 6 or more characters of it.
func (c *Client) Memory(ctx context.Context, id string) (MemoryDetail, error) {
	return ask[MemoryDetail](ctx, c, MethodMemory, ID{id})
}

// AddMemory remembers something at the owner's own word.
func (c *Client) AddMemory(ctx context.Context, ch MemoryChange) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryAdd, ch)
}

// EditMemory puts a new version in the place of a memory. The old one can be
// restored.
func (c *Client) EditMemory(ctx context.Context, ch MemoryChange) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryEdit, ch)
}

// ForgetMemory has a memory no longer count; RestoreMemory brings back that, or
// any earlier version.
func (c *Client) ForgetMemory(ctx context.Context, id string) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryForget, ID{id})
}

// RestoreMemory has a memory count again, in place of what has its key now.
func (c *Client) RestoreMemory(ctx context.Context, id string) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryRestore, ID{id})
}

// ApproveMemory lets in what is held, or does what it asks for.
func (c *Client) ApproveMemory(ctx context.Context, id string) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryApprove, ID{id})
}

// DenyMemory turns down what is held.
func (c *Client) DenyMemory(ctx context.Context, id string) (Memory, error) {
	return ask[Memory](ctx, c, MethodMemoryDeny, ID{id})
}

// ExportMemory writes down what is remembered: as markdown what counts, as json
// everything that ever did.
func (c *Client) ExportMemory(ctx context.Context, format string) (string, error) {
	return ask[string](ctx, c, MethodMemoryExport, ExportFormat{format})
}

// MemorySources lists the files that recall looks into.
func (c *Client) MemorySources(ctx context.Context) ([]MemorySource, error) {
	return ask[[]MemorySource](ctx, c, MethodMemorySources, nil)
}

// AddMemorySource reads a text, Markdown or PDF file and lets recall look into
// it. It is read again when it changes.
func (c *Client) AddMemorySource(ctx context.Context, path string) (MemorySource, error) {
	return ask[MemorySource](ctx, c, MethodSourceAdd, MemorySource{Path: path})
}

// RemoveMemorySource has recall no longer look into a file, which stays.
func (c *Client) RemoveMemorySource(ctx context.Context, path string) error {
	return c.Do(ctx, MethodSourceRemove, MemorySource{Path: path}, nil)
}
