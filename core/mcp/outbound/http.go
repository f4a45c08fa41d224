package outbound

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/mark3labs/mcp-go/client/transport"
)

// ErrNoClient is returned for an address whose requests nobody vouches for.
var ErrNoClient = errors.New("mcp: no HTTP client is set")

// dialHTTP makes the transport for an address: streamable HTTP.
func (c *conn) dialHTTP() (transport.BidirectionalInterface, error) {
	if c.spec.Client == nil {
		return nil, ErrNoClient
	}
	return transport.NewStreamableHTTP(c.spec.URL,
		transport.WithHTTPBasicClient(c.spec.Client), transport.WithHTTPHeaderFunc(c.headers),
		transport.WithHTTPLogger(slog.Default()),
	)
}

// headers are sent with each request.
func (c *conn) headers(ctx context.Context) map[string]string {
	out := map[string]string{}
	maps.Copy(out, c.spec.Headers)
	if c.spec.Bearer == nil {
		return out
	}
	token, err := c.spec.Bearer(ctx)
	if err != nil {
		slog.WarnContext(ctx, "mcp: the token of a server cannot be read", "server", c.spec.Name, "error", err)
		return out
	}
	out["Authorization"] = "Bearer " + token
	return out
}
