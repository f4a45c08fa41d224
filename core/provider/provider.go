// Package provider is the seam between the agent and any language model.
//
// One wire format is one sub-package that implements [Model]. Nothing above
// this package knows which vendor answered. A model keeps no state between
// calls: a [Request] is the whole conversation.
package provider

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// A Model answers requests.
type Model interface {
	// Stream answers req in events. It stops when ctx does, and yields at most
	// one error, last; a failure of the provider is an [*Error]. A whole answer
	// ends with one [Done].
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
	// Info says what the model is and can do. It is constant and cheap.
	Info() Info
}

// A Compacter is a [Model] whose provider can itself shorten a conversation, see
// [Info.NativeCompaction].
type Compacter interface {
	// Compact returns what stands for the messages of req at this provider, and
	// what that took. Its text is for the provider's eyes only.
	Compact(ctx context.Context, req Request) (Reasoning, Done, error)
}

// Info describes a model.
type Info struct {
	Provider string // config name of the provider: openai, anthropic, ollama, offline, …
	Model    string // the provider's id of the model
	Title    string // for people: "Sonnet 4.5"
	Assumed  bool   // the numbers below are assumptions: the catalogue does not know the model

	Window    int // tokens of context
	MaxOutput int // tokens of one answer; 0 means the provider's default

	Images           bool // takes images in user messages
	ToolResultImages bool // takes images in tool results
	Tools            bool // can call tools
	HostedToolSearch bool
	NativeCompaction bool
	Caching          bool
	Reasoning        bool
	Grammar          bool // it answers by fixed rules: it cannot sum up or judge

	// HostedComputer is the type of the provider's own tool for operating a
	// computer, such as computer_20250124; empty where it is not used.
	HostedComputer string

	Price  Price
	Priced bool // Price is known, also where it is zero: models on this machine cost nothing
}

// Price is in US dollars per million tokens; zero when unknown or free.
type Price struct{ Input, Output, CachedInput float64 }

// A Request is one question to a model.
type Request struct {
	System    string
	Messages  []Message
	Tools     []Tool
	Deferred  []Tool    // tools that the provider finds itself; only for one with HostedToolSearch
	Effort    string    // none, low, medium, high; empty means the model's default
	MaxOutput int       // tokens; 0 means the model's default
	Computer  *Computer // the tool of Tools that operates this computer; nil where there is none
	CacheKey  string    // the same for requests that share a long beginning; the session id. Empty asks for no caching
}

// A Tool is what a model is told of a capability.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
}

// Role says who wrote a message.
type Role string

// The roles. Results of tools come in a message of RoleTool.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// A Message is one entry of a conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// A Part is a piece of a message. The set is closed.
//
//sumtype:decl
type Part interface{ part() }

// Text is words. It comes from the user or the assistant.
type Text struct {
	Text string `json:"text"`
}

// Image is a picture in a user message.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Reasoning is what a model thought. Signature, Encrypted and ID belong to the
// provider and are sent back to it unchanged.
type Reasoning struct {
	Text      string `json:"text,omitempty"`
	ID        string `json:"id,omitempty"`
	Signature string `json:"signature,omitempty"`
	Encrypted string `json:"encrypted,omitempty"` // redacted or encrypted thinking
	Provider  string `json:"provider,omitempty"`  // who wrote it: no other provider is given it

	// Block is an entry of the answer that only the provider reads, such as its
	// own search for tools. It goes back as it came.
	Block json.RawMessage `json:"block,omitempty"`
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Args      string `json:"args"`                // JSON as the model wrote it, possibly broken
	ItemID    string `json:"item_id,omitempty"`   // the provider's id of the item, where it has its own
	Signature string `json:"signature,omitempty"` // thought signature, sent back unchanged
	Namespace string `json:"namespace,omitempty"` // where the provider found the tool, sent back unchanged
}

// ToolResult is what came of a ToolCall.
type ToolResult struct {
	CallID string  `json:"call_id"`
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	Failed bool    `json:"failed,omitempty"`
}

func (Text) part()       {}
func (Image) part()      {}
func (Reasoning) part()  {}
func (ToolCall) part()   {}
func (ToolResult) part() {}

// An Event is a piece of an answer. The set is closed.
//
//sumtype:decl
type Event interface{ event() }

// TextDelta is more of the text, for showing while it comes.
type TextDelta string

// ReasoningDelta is more of the thinking, for showing while it comes.
type ReasoningDelta string

// PartDone is a whole part: [Text], [Reasoning] or [ToolCall]. The parts of an
// answer, in order, are the assistant's message; deltas are only for show.
type PartDone struct{ Part Part }

// Done closes an answer.
type Done struct {
	Stop  Stop
	Usage Usage
	Model string // the id that the provider says answered
}

func (TextDelta) event()      {}
func (ReasoningDelta) event() {}
func (PartDone) event()       {}
func (Done) event()           {}

// Stop says why an answer ended.
type Stop string

// The reasons to stop.
const (
	StopEnd     Stop = "end"     // the model had no more to say
	StopTools   Stop = "tools"   // it waits for the results of its calls
	StopLength  Stop = "length"  // the limit of tokens was reached
	StopRefused Stop = "refused" // the provider or the model declined
)

// Usage counts tokens. Input includes what was read from a cache.
type Usage struct {
	Input       int `json:"input"`
	Output      int `json:"output"`
	CachedInput int `json:"cached_input,omitempty"`
	CacheWrite  int `json:"cache_write,omitempty"`
	Reasoning   int `json:"reasoning,omitempty"`
}

// Kind sorts the failures of providers by what one does about them.
type Kind string

// The kinds of failure.
const (
	KindAuth       Kind = "auth"       // the key is missing, wrong or not entitled: never retried
	KindQuota      Kind = "quota"      // paid allowance used up: never retried
	KindRate       Kind = "rate"       // too many requests: retried after RetryAfter
	KindOverloaded Kind = "overloaded" // 5xx, 408, 409, overloaded: retried
	KindContext    Kind = "context"    // the conversation is too long: compact, never retried
	KindInvalid    Kind = "invalid"    // the provider did not accept the request: never retried
	KindNetwork    Kind = "network"    // not reached, or the stream broke: retried before visible output
	KindResponse   Kind = "response"   // the answer could not be understood, or was too large
	KindTimeout    Kind = "timeout"    // nothing came for too long
)

// An Error is a failure of a provider, in a sentence a person can read.
type Error struct {
	Provider   string
	Kind       Kind
	Status     int           // HTTP status, 0 when there was none
	Message    string        // what happened, without secrets
	Try        string        // what to do now
	RetryAfter time.Duration // 0 when the provider did not say
	Err        error         // the cause, may be nil
}

// Error is the message after the provider's name.
func (e *Error) Error() string { return e.Provider + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may work later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case KindRate, KindOverloaded, KindNetwork, KindTimeout:
		return true
	case KindAuth, KindQuota, KindContext, KindInvalid, KindResponse:
		return false
	}
	return false
}
