package capability

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Failure is one way a tool fails on purpose: a code for programs, a
// condition for readers, and advice for whoever has to try again. Tools
// declare failures as package variables and compare with errors.Is.
type Failure struct {
	Code string // "not_found"
	When string // "no file has that path"
	Try  string // "list the folder and use a path from the list"
}

// Error is the code.
func (f *Failure) Error() string { return f.Code }

// Becausef makes a UserError of f with a message: what was wrong and where.
func (f *Failure) Becausef(format string, args ...any) *UserError {
	return &UserError{Code: f.Code, Message: fmt.Sprintf(format, args...), Try: f.Try, failure: f}
}

// A UserError is an expected failure, shown to the model and to people.
type UserError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
	Try     string         `json:"try,omitempty"`

	failure *Failure
}

// Error is the message with its code, as a sentence for logs.
func (e *UserError) Error() string { return e.Code + ": " + e.Message }

// Unwrap gives the Failure that e was made from, if any.
func (e *UserError) Unwrap() error {
	if e.failure == nil {
		return nil
	}
	return e.failure
}

// With adds one detail and returns e.
func (e *UserError) With(key string, value any) *UserError {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Trying replaces the advice and returns e.
func (e *UserError) Trying(advice string) *UserError {
	e.Try = advice
	return e
}

// AsUserError finds the UserError in err. A bare [Failure] counts as one.
func AsUserError(err error) (*UserError, bool) {
	if u, ok := errors.AsType[*UserError](err); ok {
		return u, true
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Becausef("%s", f.When), true
	}
	return nil, false
}

// hint closes every failed result, so that a model does not repeat itself.
const hint = "Analyse the error above and try another way."

// failureText is what the model reads of a failed call; the hint closes it.
func failureText(e *UserError) string {
	b, err := json.Marshal(map[string]any{"error": e})
	if err != nil { // a detail that does not marshal; the rest is still worth saying
		b, _ = json.Marshal(map[string]any{"error": UserError{Code: e.Code, Message: e.Message, Try: e.Try}})
	}
	return string(b)
}

// The failures that the path of a call itself has.
var (
	UnknownTool = &Failure{"unknown_tool", "no tool has that name", "choose a name from the tool list"}
	NotAllowed  = &Failure{"not_allowed", "the tool is not offered here", "use only the tools that are offered"}
	BadInput    = &Failure{"bad_input", "the arguments do not fit the schema", "read the schema with tool_help and send the call again"}
	Denied      = &Failure{"denied", "the call was turned down", "do not repeat the call; ask what to do instead"}
	Cancelled   = &Failure{"cancelled", "the call was stopped before it ended", "do not go on unless asked to"}
	TimedOut    = &Failure{"timed_out", "the call took too long", "do less in one call, or raise the time limit"}
	TooLarge    = &Failure{"too_large", "the arguments are over 256 KiB", "send less in one call"}
	Internal    = &Failure{"internal", "a fault of the tool itself", "try another way; the log has the details"}
)
