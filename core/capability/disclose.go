package capability

import (
	"cmp"
	"strings"
)

// A Disclosure is how much of a failure the model and the person are told.
// Secrets are hidden in every one. The zero Disclosure is [Standard].
type Disclosure string

// The disclosures.
const (
	// Standard tells the whole of an expected failure, and of any other only
	// the id under which the log has it.
	Standard Disclosure = "standard"
	// Verbose tells of any other failure what it says of itself, too.
	Verbose Disclosure = "verbose"
	// Minimal tells of an expected failure its code, its condition and its
	// advice: nothing that names a path, a host or an answer.
	Minimal Disclosure = "minimal"
)

// Internal is the sentence about a fault of ours that the log has under id.
// Its cause must be clear of secrets.
func (d Disclosure) Internal(id, cause string) string {
	cause, _, _ = strings.Cut(cause, "\n") // a stack is for the log
	if d != Verbose || cause == "" {
		return "internal error " + id
	}
	return "internal error " + id + ": " + CutText(cause, maxCause)
}

// maxCause bounds what is told of an internal failure, in bytes.
const maxCause = 500

// Expected is u as it is told.
func (d Disclosure) Expected(u *UserError) *UserError {
	if d != Minimal {
		return u
	}
	out := &UserError{Code: u.Code, Message: u.Code, failure: u.failure}
	if u.failure != nil {
		out.Message, out.Try = cmp.Or(u.failure.When, u.Code), u.failure.Try
	}
	return out
}
