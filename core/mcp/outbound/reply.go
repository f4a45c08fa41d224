package outbound

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// replyTime is how long the answer to a server's request may take: people are
// asked.
const replyTime = 10 * time.Minute

// SetRequestHandler lets requests of the server be answered here: mcp-go's
// transport over HTTP gives an answer up after 30 seconds.
func (t httpTap) SetRequestHandler(h transport.RequestHandler) {
	t.BidirectionalInterface.SetRequestHandler(func(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		life, cancel := context.WithTimeout(context.WithoutCancel(ctx), replyTime)
		t.conn.tasks.Go(func() {
			defer cancel()
			stop := context.AfterFunc(t.conn.life, cancel) //nolint:contextcheck // the connection outlives the request
			defer stop()
			res, err := h(life, req)
			if err != nil {
				res = transport.NewJSONRPCErrorResponse(req.ID, mcp.INTERNAL_ERROR, err.Error(), nil)
			}
			if err := t.post(life, res); err != nil && life.Err() == nil {
				slog.DebugContext(life, "mcp: answering a server", "method", req.Method, "error", err)
			}
		})
		return nil, nil //nolint:nilnil // mcp-go sends nothing then
	})
}

// post sends an answer to a request of the server.
func (t httpTap) post(ctx context.Context, res *transport.JSONRPCResponse) error {
	if res == nil {
		return nil
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.conn.spec.URL, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s := t.GetSessionId(); s != "" {
		req.Header.Set(transport.HeaderKeySessionID, s)
	}
	if v := t.conn.client.ProtocolVersion(); v != "" {
		req.Header.Set(transport.HeaderKeyProtocolVersion, v)
	}
	client := http.Client{Transport: t.conn.door, CheckRedirect: t.conn.spec.Client.CheckRedirect}
	got, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return got.Body.Close()
}
