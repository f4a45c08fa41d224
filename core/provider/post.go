package provider

import (
	"context"
	"encoding/json"
)

// PostJSON sends one JSON document and reads one back: for interfaces that do
// not stream. A failure is an [*Error], or the error of ctx.
func (e Endpoint) PostJSON(ctx context.Context, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return &Error{Provider: e.Provider, Kind: KindInvalid, Message: "the request cannot be written as JSON", Err: err}
	}
	a, err := e.Post(ctx, path, raw)
	if err != nil {
		return err
	}
	defer a.Close()
	doc, err := a.all()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(doc, into); err != nil {
		return NotUnderstood(e.Provider, err)
	}
	return nil
}
