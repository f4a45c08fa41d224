package control

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// A Handler is a core as a transport sees it.
type Handler interface {
	// Handle answers one request of a peer.
	Handle(ctx context.Context, peer Peer, method string, params json.RawMessage) (any, error)
	// Events yields what [Transport.Watch] promises.
	Events(ctx context.Context, req WatchRequest) iter.Seq2[agent.Event, error]
}

// A Peer is who asks.
type Peer struct {
	PID int // 0 for this very process
	// Agents says that the agent itself started the process, or one of its
	// ancestors: it may look, but never agree to anything or speak as a person.
	Agents bool
}

// Local is the transport to a core in this process. Requests and answers pass
// through JSON just as on the socket, so that both behave alike.
type Local struct {
	Handler Handler
	Closer  func() error // ends the core; may be nil
}

// Do implements [Transport].
func (l *Local) Do(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	out, err := l.Handler.Handle(ctx, Peer{}, method, raw)
	if err != nil {
		return AsError(err)
	}
	if result == nil {
		return nil
	}
	if raw, err = json.Marshal(out); err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Watch implements [Transport].
func (l *Local) Watch(ctx context.Context, req WatchRequest) iter.Seq2[agent.Event, error] {
	return l.Handler.Events(ctx, req)
}

// Close implements [Transport].
func (l *Local) Close() error {
	if l.Closer == nil {
		return nil
	}
	return l.Closer()
}

// AsError makes any error into the form that travels.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if u, ok := capability.AsUserError(err); ok {
		return &Error{Code: u.Code, Message: u.Message, Try: u.Try, Details: u.Details}
	}
	if p, ok := errors.AsType[*provider.Error](err); ok {
		return &Error{Code: "provider_" + string(p.Kind), Message: p.Error(), Try: p.Try}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Code: "cancelled", Message: "stopped"}
	}
	return &Error{Code: "failed", Message: err.Error()}
}
