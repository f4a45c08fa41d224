package outbound

import "time"

// A Status is how a server is, for people.
type Status struct {
	Name     string    `json:"name"`
	Shown    string    `json:"shown"` // its command or address
	State    State     `json:"state"`
	Reason   string    `json:"reason,omitempty"`   // why it is not ready, a sentence
	Server   string    `json:"server,omitempty"`   // what it calls itself, with its version
	Protocol string    `json:"protocol,omitempty"` // version that was agreed on
	Tools    int       `json:"tools"`              // that are offered
	Held     []Change  `json:"held,omitempty"`     // tools that are held back until the owner has seen what changed
	Notes    []string  `json:"notes,omitempty"`    // tools that had to be left out, and why
	Log      string    `json:"log,omitempty"`      // what it said on standard error
	Lost     bool      `json:"lost,omitempty"`     // it was ready until now
	Tries    int       `json:"tries,omitempty"`    // to connect, since it was last ready
	Since    time.Time `json:"since"`              // that it is so
}

// State is what a server is doing.
type State string

// The states.
const (
	Starting    State = "starting"
	Ready       State = "ready"
	Failed      State = "failed"      // it is tried again soon
	Quarantined State = "quarantined" // it is tried again when its settings change or the owner says so
	Disabled    State = "disabled"
	NeedsLogin  State = "needs_login" // the owner has to sign in
)

// A Change is a tool whose definition is not the one the owner has seen.
type Change struct {
	Tool string `json:"tool"`
	Was  Tool   `json:"was"`
	Now  Tool   `json:"now"`
}
