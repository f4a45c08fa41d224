package secret

import (
	"fmt"
	"log/slog"
)

// Hidden stands where a secret was.
const Hidden = "[secret hidden]"

// A Value is a secret on its way to where it is used. Printed, logged or
// marshalled it is [Hidden].
type Value struct{ text string }

// NewValue makes a Value of a secret.
func NewValue(text string) Value { return Value{text} }

// Reveal returns the secret itself, for the place that needs it.
func (v Value) Reveal() string { return v.text }

// IsZero reports whether there is no secret.
func (v Value) IsZero() bool { return v.text == "" }

// String is [Hidden].
func (Value) String() string { return Hidden }

// GoString is [Hidden].
func (Value) GoString() string { return Hidden }

// Format writes [Hidden], whatever the verb.
func (Value) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(Hidden)) // a Formatter has no one to tell
}

// MarshalText writes [Hidden].
func (Value) MarshalText() ([]byte, error) { return []byte(Hidden), nil }

// LogValue is [Hidden].
func (Value) LogValue() slog.Value { return slog.StringValue(Hidden) }
