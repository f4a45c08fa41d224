// Package control is the typed client of Hobkin's core, and the words it
// speaks: what a window, the command line or a test may ask of the agent.
//
// A [Client] works over a [Transport]. There are two: the control socket of
// the running desktop (socket.go), and the core in this very process (package
// app). So the same code runs either way, and the user interface never reaches
// into the engine.
package control

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
)

// Protocol is the version of the words below. A client and a server of
// different versions do not talk.
const Protocol = 1

// A Transport carries requests to a core.
type Transport interface {
	// Do asks method and decodes the answer into result, which may be nil. A
	// failure that the core reports is an [*Error].
	Do(ctx context.Context, method string, params, result any) error
	// Watch yields a session's events from a number on, the stored ones first
	// and then those that happen, until ctx ends or the connection breaks.
	Watch(ctx context.Context, req WatchRequest) iter.Seq2[agent.Event, error]
	// Close frees what the transport holds.
	Close() error
}

// A Client asks a core. Make one with [Dial] or with package app.
type Client struct{ Transport }

// An Error is a failure that the core reports in a sentence.
type Error struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Try     string         `json:"try,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// Error is the message; the code and the advice are for those who look.
func (e *Error) Error() string { return e.Message }

// WatchRequest says which events are wanted.
type WatchRequest struct {
	Session string `json:"session"` // empty: events of every session, from now on
	From    int64  `json:"from"`    // first number wanted; 1 replays all, 0 only what happens from now on
}

// Info is what a core says of itself.
type Info struct {
	Protocol  int    `json:"protocol"`
	Version   string `json:"version"`
	PID       int    `json:"pid"`
	Desktop   bool   `json:"desktop"` // a desktop's background process, not a core of one command
	State     State  `json:"state"`
	StateText string `json:"state_text"`         // for people: Working: "find TODO in core"
	Mode      string `json:"mode"`               // permission mode that new sessions have
	Model     string `json:"model"`              // provider/model of the main role
	ModelName string `json:"model_name"`         // for people
	Offline   bool   `json:"offline"`            // the built-in offline model answers
	Workspace string `json:"workspace"`          // absolute
	Sandbox   string `json:"sandbox"`            // strict, standard or open
	Degraded  string `json:"degraded,omitempty"` // what is broken and goes on without, in a sentence
}

// State is what the agent as a whole is doing.
type State string

// The states, in order of what is shown first when sessions differ.
const (
	StateError   State = "error"
	StateWaiting State = "waiting" // for a person
	StatePaused  State = "paused"
	StateUsing   State = "using" // the screen, the mouse or the keyboard
	StateWorking State = "working"
	StateSetup   State = "needs_setup"
	StateReady   State = "ready"
)

// SendRequest is a message to a session.
type SendRequest struct {
	Session   string           `json:"session,omitempty"` // empty starts a new one
	Text      string           `json:"text"`
	Images    []provider.Image `json:"images,omitempty"`
	Workspace string           `json:"workspace,omitempty"` // absolute; empty keeps the session's or takes the default
	Mode      string           `json:"mode,omitempty"`      // plan, ask, accept_edits or auto; empty keeps the session's
	Model     string           `json:"model,omitempty"`     // provider/model; empty keeps the session's
	Channel   string           `json:"channel"`             // desktop, cli
	Attended  bool             `json:"attended"`            // a person is there to answer
	Locale    string           `json:"locale,omitempty"`
}

// Sent names the turn that a message became.
type Sent struct {
	Session string `json:"session"`
	Turn    string `json:"turn"`
	From    int64  `json:"from"` // number of the message's own event: watch from here to see the turn whole
}

// Session is a session as lists show it.
type Session struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Workspace string    `json:"workspace"`
	Mode      string    `json:"mode"`
	Model     string    `json:"model,omitempty"` // empty: the main role's
	Pinned    bool      `json:"pinned,omitempty"`
	State     State     `json:"state"`
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
	Messages  int       `json:"messages"`
	Snippet   string    `json:"snippet,omitempty"` // where a search matched
}

// SessionQuery picks sessions, the newest first, pinned ones before all.
type SessionQuery struct {
	Search string `json:"search,omitempty"`
	Limit  int    `json:"limit,omitempty"` // 0 means 50
	Offset int    `json:"offset,omitempty"`
}

// SessionChange changes what is set.
type SessionChange struct {
	ID     string  `json:"id"`
	Title  *string `json:"title,omitempty"`
	Pinned *bool   `json:"pinned,omitempty"`
	Mode   *string `json:"mode,omitempty"`
	Model  *string `json:"model,omitempty"`
}

// Export is a session as a document.
type Export struct {
	Format string `json:"format"` // markdown, html or json
	Text   string `json:"text"`
}

// ApprovalAnswer answers a request for approval.
type ApprovalAnswer struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"` // of the request that was shown; another one is refused
	Decision    string `json:"decision"`    // once, session, always, deny or deny_always
	By          string `json:"by"`          // the surface: window, notification, terminal
}

// PendingApproval is a request that still waits.
type PendingApproval struct {
	Session string                  `json:"session"`
	Turn    string                  `json:"turn"`
	Request agent.ApprovalRequested `json:"request"`
}

// QuestionAnswer answers a form. Secrets are put into the keyring by the core.
type QuestionAnswer struct {
	ID      string              `json:"id"`
	Answers map[string][]string `json:"answers"` // by question id
	By      string              `json:"by"`
}

// Tool is a capability as lists show it.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Aliases     []string        `json:"aliases,omitempty"`
	Description string          `json:"description"`
	Kind        string          `json:"kind"`
	Class       string          `json:"class"`
	Category    string          `json:"category"`
	Hidden      bool            `json:"hidden,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// ToolQuery picks tools.
type ToolQuery struct {
	All    bool   `json:"all,omitempty"`    // also hidden and unavailable ones
	Search string `json:"search,omitempty"` // words; empty lists in the registry's order
	Name   string `json:"name,omitempty"`   // just this one, by name or alias
}

// CallRequest runs one tool outside any conversation.
type CallRequest struct {
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Workspace string          `json:"workspace"`
	Mode      string          `json:"mode,omitempty"`
	Yes       bool            `json:"yes,omitempty"` // agrees once to this very call; the floor and denials still hold
}

// CallResult is what the tool gave back.
type CallResult struct {
	Tool    string           `json:"tool"`
	Text    string           `json:"text"`
	Data    json.RawMessage  `json:"data,omitempty"`
	Diff    string           `json:"diff,omitempty"`
	Images  []provider.Image `json:"images,omitempty"`
	Failed  bool             `json:"failed,omitempty"`
	Code    string           `json:"code,omitempty"`
	Message string           `json:"message,omitempty"` // the failure in a sentence
	Try     string           `json:"try,omitempty"`
	SavedAs string           `json:"saved_as,omitempty"`
}

// Grant is a folder that the agent may use beyond its workspace.
type Grant struct {
	Path    string    `json:"path"`
	Created time.Time `json:"created"`
	Source  string    `json:"source"` // config, or who granted it
}

// ConfigValue is one setting.
type ConfigValue struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as TOML
	Set   bool   `json:"set"`   // it stands in the file; else it is the default
}

// Model is a model that can be picked.
type Model struct {
	ID       string `json:"id"` // provider/model
	Title    string `json:"title"`
	Provider string `json:"provider"`
	Images   bool   `json:"images,omitempty"`
	Window   int    `json:"window,omitempty"`  // tokens of context; 0 is unknown
	Current  bool   `json:"current,omitempty"` // the main role's
}

// Check is one row of the doctor.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // passed, warning, failed or not_applicable
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}
