package outbound

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Tool is a tool as its server describes it.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  struct {
		Title       string `json:"title,omitempty"`
		ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
		Destructive *bool  `json:"destructiveHint,omitempty"`
		Idempotent  *bool  `json:"idempotentHint,omitempty"`
		OpenWorld   *bool  `json:"openWorldHint,omitempty"`
	} `json:"annotations,omitzero"`
}

// Fingerprint is the same for tools that a model would take for the same:
// name, words and schemas, however they are written.
func (t Tool) Fingerprint() string {
	h := sha256.New()
	for _, part := range []string{t.Name, t.Title, t.Description, canonical(t.InputSchema), canonical(t.OutputSchema)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// canonical is JSON without its spacing and with its keys in order.
func canonical(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// check reports what makes a tool unusable.
func (t Tool) check() error {
	switch {
	case strings.TrimSpace(t.Name) == "":
		return errors.New("it has no name")
	case len(t.InputSchema) == 0:
		return errors.New("it has no inputSchema")
	}
	var s map[string]json.RawMessage
	if err := json.Unmarshal(t.InputSchema, &s); err != nil {
		return errors.New("its inputSchema is not an object")
	}
	if kind, ok := s["type"]; ok && string(kind) != `"object"` {
		return fmt.Errorf("its inputSchema is of the type %s, not object", kind)
	}
	return nil
}

// schema is the inputSchema with what every schema of ours has: the type.
func (t Tool) schema() json.RawMessage {
	var s map[string]json.RawMessage
	if json.Unmarshal(t.InputSchema, &s) != nil || s == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if _, ok := s["type"]; ok {
		return t.InputSchema
	}
	s["type"] = json.RawMessage(`"object"`)
	out, err := json.Marshal(s)
	if err != nil {
		return t.InputSchema
	}
	return out
}
