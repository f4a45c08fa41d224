package capability

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// A Scope is what a typed handler may know of where it is called. The ids mean
// nothing beside being the same for the same session and workspace.
type Scope struct {
	Session   string // id of the conversation
	Workspace string // id of the folder that is worked in; empty without one
	Call      string // id of this call
	Locale    string // BCP 47 tag, such as de-DE; empty means English
}

// scopeKey is where a handler's context holds its call.
type scopeKey struct{}

// within gives a handler its call.
func within(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, scopeKey{}, call)
}

// ScopeOf tells a handler where it is called; the zero Scope elsewhere.
func ScopeOf(ctx context.Context) Scope {
	call, ok := ctx.Value(scopeKey{}).(Call)
	if !ok {
		return Scope{}
	}
	s := Scope{Session: call.Turn.Session, Call: call.ID, Locale: call.Turn.Locale}
	if call.Turn.Workspace != "" {
		sum := sha256.Sum256([]byte(call.Turn.Workspace))
		s.Workspace = "ws_" + hex.EncodeToString(sum[:8])
	}
	return s
}

// Progress tells the watchers of a handler's call how far it is, in a short
// sentence. Outside a handler it does nothing.
func Progress(ctx context.Context, text string) {
	if call, ok := ctx.Value(scopeKey{}).(Call); ok {
		call.Progress(text)
	}
}
