package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
)

// Handler returns a log handler that redacts every record before it gives it
// to next: the message, and all attributes, whatever their type. An attribute
// whose name says that it is a secret is hidden whole.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return &handler{next, r} }

type handler struct {
	next slog.Handler
	r    *Redactor
}

// Enabled asks the next handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle redacts a record and hands it on.
func (h *handler) Handle(ctx context.Context, rec slog.Record) error {
	out := slog.NewRecord(rec.Time, rec.Level, h.r.Redact(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

// WithAttrs redacts attributes that go with every record.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = h.attr(a)
	}
	return &handler{h.next.WithAttrs(out), h.r}
}

// WithGroup opens a group.
func (h *handler) WithGroup(name string) slog.Handler { return &handler{h.next.WithGroup(name), h.r} }

func (h *handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		group := make([]slog.Attr, len(v.Group()))
		for i, g := range v.Group() {
			group[i] = h.attr(g)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	case slog.KindString:
		if tellsSecret(a.Key) && v.String() != "" {
			return slog.String(a.Key, Hidden)
		}
		return slog.String(a.Key, h.r.Redact(v.String()))
	case slog.KindAny:
		return slog.Attr{Key: a.Key, Value: h.any(a.Key, v)}
	}
	return slog.Attr{Key: a.Key, Value: v} // numbers, times and truths
}

// any keeps a value whose text holds no secret, and makes a redacted text of
// another. What the next handler makes of a value depends on its methods, so
// each of its texts is looked at.
func (h *handler) any(key string, v slog.Value) slog.Value {
	x := v.Any()
	if x == nil {
		return v
	}
	if tellsSecret(key) {
		return slog.StringValue(Hidden)
	}
	for _, text := range texts(x) {
		if hidden := h.r.Redact(text); hidden != text {
			return slog.StringValue(hidden)
		}
	}
	return v
}

// texts are what handlers make of a value.
func texts(x any) []string {
	if b, ok := x.([]byte); ok {
		return []string{string(b)}
	}
	out := []string{fmt.Sprintf("%+v", x)}
	if _, ok := x.(error); ok {
		return out
	}
	if b, err := json.Marshal(x); err == nil {
		out = append(out, string(b))
	}
	return out
}

// tellsSecret reports whether a name says that its value is a secret.
func tellsSecret(key string) bool {
	key = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
	switch key {
	case "password", "passwd", "passphrase", "secret", "token", "apikey", "authorization", "accesstoken", "refreshtoken", "clientsecret", "privatekey", "cookie", "setcookie":
		return true
	}
	return false
}
