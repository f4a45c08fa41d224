package outbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/hobkin/hobkin/core/mcp/oauth"
)

// ErrNoClient is returned for an address whose requests nobody vouches for.
var ErrNoClient = errors.New("mcp: no HTTP client is set")

// dialHTTP makes the transport for an address: streamable HTTP. It listens for
// what servers of older protocols say unasked, and steps aside for the newest,
// where [conn.listen] asks for it.
func (c *conn) dialHTTP() (transport.BidirectionalInterface, error) {
	client, err := c.httpClient()
	if err != nil {
		return nil, err
	}
	return transport.NewStreamableHTTP(c.spec.URL,
		transport.WithHTTPBasicClient(client), transport.WithHTTPLogger(quiet()),
		//lint:ignore SA1019 the only way to hear servers of older protocols
		transport.WithContinuousListening()) //nolint:staticcheck // likewise
}

// dialSSE makes the transport that servers had before streamable HTTP.
func (c *conn) dialSSE() (transport.BidirectionalInterface, error) {
	client, err := c.httpClient()
	if err != nil {
		return nil, err
	}
	sse, err := transport.NewSSE(c.spec.URL,
		transport.WithHTTPClient(client), transport.WithSSELogger(quiet()),
		transport.WithEndpointTimeout(c.spec.StartTime), transport.WithResponseTimeout(c.spec.CallTime))
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	return oneWay{sse}, nil
}

// oneWay is mcp-go's transport for older servers. It hears their notices, but
// can answer no requests; so no ability is offered over it.
type oneWay struct{ *transport.SSE }

// SetRequestHandler implements mcp-go's transport.
func (oneWay) SetRequestHandler(transport.RequestHandler) {}

// httpClient makes the requests of this connection: the owner's client, with a
// door before it and, where the owner signs in, the token.
func (c *conn) httpClient() (*http.Client, error) {
	if c.spec.Client == nil {
		return nil, ErrNoClient
	}
	inner := c.spec.Client.Transport
	if inner == nil {
		inner = http.DefaultTransport
	}
	if c.spec.OAuth != nil {
		o := *c.spec.OAuth
		o.Server, o.Base = c.spec.URL, inner
		s, err := oauth.New(o)
		if err != nil {
			return nil, err
		}
		inner = s
	}
	out := *c.spec.Client
	c.door = &door{conn: c, inner: inner}
	out.Transport = c.door
	return &out, nil
}

// quiet logs what mcp-go says for those who look for it: it reports as errors
// what is usual, such as a server that has no stream of notices.
func quiet() *slog.Logger { return slog.New(lower{slog.Default().Handler()}) }

// lower makes all records debug messages.
type lower struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (l lower) Enabled(ctx context.Context, _ slog.Level) bool {
	return l.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements [slog.Handler].
func (l lower) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return l.Handler.Handle(ctx, r)
}
