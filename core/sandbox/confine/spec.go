package confine

import (
	"net"

	"github.com/hobkin/hobkin/core/capability"
)

// A Mode says what happens where the kernel cannot hold a command.
type Mode string

// The modes, as the settings have them.
const (
	Required Mode = "required" // the command is refused
	Auto     Mode = "auto"     // it runs, and the result says what does not hold
	Off      Mode = "off"      // nothing is confined
)

// A Network says whom a command may talk to.
type Network string

// The networks, as the settings have them.
const (
	NetworkOn        Network = "on"        // everyone
	NetworkOff       Network = "off"       // no one; it can listen for itself
	NetworkAllowlist Network = "allowlist" // the hosts that a proxy lets through
)

// A Spec says what a command may touch. All paths are absolute and free of
// links. What does not exist is left out.
type Spec struct {
	Home  string   // the user's home
	Write []string // folders and files that may be read and changed
	Read  []string // and that may only be read
	Path  string   // PATH of the command: the tool chains on it may be read

	// Hidden reports whether a path is never to be seen, whatever it lies in;
	// nil hides none.
	Hidden func(abs string) bool
	// Secrets are the paths that Hidden is known to hide, whether they exist or
	// not: folders that hold one are opened piece by piece, so that it can be
	// neither read nor made.
	Secrets []string

	// Keys are paths that may be read although they are hidden, for a program
	// that signs in and does nothing else.
	Keys []string
	// Sockets are Unix sockets that may be talked to, such as that of ssh-agent.
	Sockets []string
	// Cache is a folder for what programs keep between runs, and Tmp one for
	// temporary files. Both are made when missing. Without them there is none,
	// or one that goes with the command.
	Cache, Tmp string

	Network Network // empty means on
	// Serve is a proxy on a listener that the command alone can reach, for
	// [NetworkAllowlist]. It returns when the listener is closed.
	Serve func(net.Listener)
}

// A Backend is what holds a command.
type Backend string

// The backends.
const (
	Bubblewrap Backend = "bubblewrap"
	Landlock   Backend = "Landlock"
	Seatbelt   Backend = "sandbox-exec"
	Job        Backend = "job object"
	None       Backend = "none"
)

// A Report says what holds a command, and what does not.
type Report struct {
	Backend Backend  `json:"backend"`
	Missing []string `json:"missing,omitempty"` // what it cannot hold, each as the part of a sentence
	Changed []string `json:"changed,omitempty"` // how the command was held tighter than asked for, likewise
	Why     string   `json:"why,omitempty"`     // why it is not held at all
	Fix     string   `json:"fix,omitempty"`     // what the owner can do about it
}

// Unavailable is returned in the mode required where nothing can hold a command.
var Unavailable = &capability.Failure{
	Code: "confinement_unavailable",
	When: "the settings require that the kernel confines commands, and it cannot here",
	Try:  "tell the owner to install bubblewrap, or to set sandbox.confine to auto",
}
