package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Capability is one thing the agent can do. It never changes once it is
// registered; a reader may keep the pointer it was given.
type Capability struct {
	Name        string          // unique, see [ValidName]
	Aliases     []string        // other names that resolve to it; they share the one name space
	Title       string          // the name in words, for people: "Read file"
	Description string          // what the model reads
	Parameters  json.RawMessage // JSON Schema of an object
	Output      json.RawMessage // JSON Schema of the structured result; nil when it has none
	Kind        Kind
	Class       Class
	Category    Category
	Hints       Hints
	Docs        Docs

	Hidden     bool              // configured but not shown to the model
	OwnerData  bool              // returns the owner's own data: no guest sees it, whatever its class
	Deferrable bool              // its schema may be left out of a request
	Meta       map[string]string // such as owner=plugin:obsidian, to swap a family at once

	// Available reports whether it can run in a turn at all; nil means always.
	// It must be quick and must not block: every listing asks it.
	Available func(Turn) bool

	// Preview tells what a call would do, without doing it: for the person who
	// is asked and for the rules that decide whether to ask. Nil means that the
	// arguments say all there is to say. An error ends the call before anyone
	// is asked.
	Preview func(ctx context.Context, call Call) (Preview, error)

	// Handler runs a call whose arguments already fit Parameters.
	Handler Handler

	document *document       // what a search sees of it, see [Registry.Search]
	made     json.RawMessage // the Parameters that were made from a type, and so are those of an object
}

// A Handler runs a call. It returns when ctx ends. Of what it returns beside an
// error only Streams and Untrusted count.
type Handler func(ctx context.Context, call Call) (Result, error)

// Kind says where a capability comes from.
type Kind string

// The kinds. KindSkill is reserved: skills are shown through their own tools.
const (
	KindBuiltin Kind = "builtin"
	KindSkill   Kind = "skill"
	KindMCP     Kind = "mcp"
)

// Class says what a call may touch. Trust and modes decide by it.
type Class string

// The classes.
const (
	ReadOnly    Class = "read_only"
	ReadWrite   Class = "read_write"
	Exec        Class = "exec"
	Network     Class = "network"
	ExternalAPI Class = "external_api"
	GUIControl  Class = "gui_control"
)

// Classes lists every class, the harmless first.
func Classes() []Class { return []Class{ReadOnly, ReadWrite, Exec, Network, ExternalAPI, GUIControl} }

// Category groups capabilities for people and for exclusion by kind of work.
type Category string

// The categories.
const (
	CategorySystem     Category = "system"
	CategoryFile       Category = "file"
	CategoryGit        Category = "git"
	CategoryWeb        Category = "web"
	CategoryMedia      Category = "media"
	CategoryMemory     Category = "memory"
	CategoryScheduling Category = "scheduling"
	CategoryDelegation Category = "delegation"
	CategorySkillAdmin Category = "skill_admin"
	CategoryConfig     Category = "config"
	CategoryChannel    Category = "channel"
	CategoryComputer   Category = "computer"
	CategoryPlugin     Category = "plugin"
	CategorySession    Category = "session"
)

// A Tri is yes, no or unsaid.
type Tri int8

// The values of a Tri. The zero Tri is Unsaid.
const (
	Unsaid Tri = 0
	Yes    Tri = 1
	No     Tri = -1
)

// Hints inform the judgement of risk. They never grant anything.
type Hints struct {
	ReadOnly    Tri
	Destructive Tri // a call may lose something that cannot be brought back
	Idempotent  Tri // calling twice is calling once
	OpenWorld   Tri // reaches outside this machine
	LongRunning Tri

	// ConcurrencyKey: calls of one step that share a key run one after another.
	ConcurrencyKey string
	// PersistOutput: the whole of a result is kept beside the session and not
	// distilled. Of what a command prints, see [Result.Streams], little stays in
	// the chat; any other result is cut as all are.
	PersistOutput bool
	// Sends: a call sends a message to people on a channel. One step of a model
	// sends one at most.
	Sends bool
	// Exact: a result is read to be copied, or names things that later calls
	// must name too, so that it is never distilled.
	Exact bool
}

// Docs is what a reader, human or model, needs beyond the description.
type Docs struct {
	When     string // when to use it, and when not
	Examples []Example
	Fails    []*Failure // every way it fails on purpose
	Setup    string     // what must be set up first; empty when nothing
}

// An Example is a call worth making. Tests check its input against the schema.
type Example struct {
	When string // "the user names a file"
	In   any    // marshals to the arguments
}

// A Preview is what one call would do, in parts that a person can check.
type Preview struct {
	Question string    `json:"question,omitempty"` // "Change a file?"
	Summary  string    `json:"summary,omitempty"`  // "summary.csv in ~/Documents · 1 line · can be undone"
	Diff     string    `json:"diff,omitempty"`     // unified diff of the change
	Shell    string    `json:"shell,omitempty"`    // a command line that a shell would run
	Dir      string    `json:"dir,omitempty"`      // the working folder, absolute
	Paths    []PathUse `json:"paths,omitempty"`    // every path it would touch, resolved
	URL      string    `json:"url,omitempty"`      // the page or address it would reach
	Warnings []string  `json:"warnings,omitempty"` // what makes it risky, a sentence each
	Apps     []string  `json:"apps,omitempty"`     // every program on the screen that it would use, in small letters

	// Destructive says that this very call may lose something for good.
	Destructive bool `json:"destructive,omitempty"`

	// Effect is what this very call does to a page, for tools that both look and
	// act; the other tools leave it empty.
	Effect Effect `json:"effect,omitempty"`
	// Alone says that an agreement is for this very call: no rule covers it and
	// none is offered.
	Alone bool `json:"alone,omitempty"`
}

// An Effect is what one call does to a page of the web, from the least on.
type Effect string

// The effects.
const (
	EffectLook  Effect = "look"  // reads what is open already
	EffectOpen  Effect = "open"  // asks for the address of the preview, and sends no more than that
	EffectUse   Effect = "use"   // points at things of the page, such as a link, with no words of its own
	EffectEnter Effect = "enter" // puts words into the page, which it could pass on
	EffectSend  Effect = "send"  // sends something, or makes the page do so
)

// A PathUse is one path of a Preview.
type PathUse struct {
	Path  string `json:"path"`            // absolute, links resolved
	Write bool   `json:"write,omitempty"` // else it is read
}

// A Call is one request to run a capability, as its handler sees it.
type Call struct {
	ID   string          // unique within the session
	Name string          // the capability's own name, never an alias
	Args json.RawMessage // final: repaired, valid, approved
	Turn Turn

	filter   Filter // what was offered, see [Call.Offered]
	progress func(string)
	output   func(stream, text string)
}

// Progress tells the watchers how far the call is, in a short sentence.
func (c Call) Progress(text string) {
	if c.progress != nil {
		c.progress(text)
	}
}

// Output shows the watchers live output of the call; stream is stdout or stderr.
func (c Call) Output(stream, text string) {
	if c.output != nil {
		c.output(stream, text)
	}
}

// A Turn is where and for whom a call runs. It is passed along, never stored
// in a context.
type Turn struct {
	Session   string // session id
	ID        string // turn id, unique within the session
	Workspace string // absolute folder the turn works in
	Locale    string // BCP 47 tag, such as de-DE; empty means English
	Channel   string // where the message came in: desktop, cli, socket, voice, job, subagent, …
	Mode      string // permission mode, see package permission
	Trust     Trust
	Attended  bool // a person is there to answer questions

	Provenance Provenance // where the message that began it came from

	Bounds []Bound // what its calls are held to, each beyond the others; see [Turn.Within]
}

// A Result is what a capability gave back. Each sort of content has its own
// field: image bytes never travel in Text.
type Result struct {
	Text      string          // what the model reads
	Streams   []Stream        // what a command printed: it follows Text, each stream cut for itself to [Limits]
	Failing   bool            // what was run failed, although the call did not: a command's exit code
	Data      json.RawMessage // structured result, for programs and the window
	Note      string          // what the tool itself says beside Text from outside; it follows Text and its frame
	Summary   string          // one line for the tool card: "14 found"
	Diff      string          // unified diff of what was changed
	Images    []Image
	Files     []string // absolute paths of files it made
	Source    string   // absolute path, without links, of the one file that was read; empty when it is not one
	Untrusted bool     // Text came from outside (page, mail, MCP): it is framed as data
	EndsTurn  bool     // the turn ends with Text as its message (sessions_yield)

	Bound Bound // from here on the turn is held to it; nil holds it to nothing more
}

// A Stream is what a command printed to one of its outputs.
type Stream struct {
	Name string // stdout or stderr
	Text string
}

// Rewrite changes every text of r that a model or a person reads.
func (r *Result) Rewrite(change func(string) string) {
	r.Text, r.Note, r.Summary, r.Diff = change(r.Text), change(r.Note), change(r.Summary), change(r.Diff)
	for i := range r.Streams {
		r.Streams[i].Text = change(r.Streams[i].Text)
	}
	r.Data = RedactJSON(r.Data, change)
}

// An Image is picture bytes with their type.
type Image struct {
	MIME string `json:"mime"` // image/png, image/jpeg, image/webp or image/gif
	Data []byte `json:"data"`
}

var nameRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// ValidName reports whether every provider accepts name for a tool.
func ValidName(name string) bool { return nameRE.MatchString(name) }

// check reports the first thing that is wrong with c.
func (c *Capability) check() error {
	for _, n := range append([]string{c.Name}, c.Aliases...) {
		if !ValidName(n) {
			return fmt.Errorf("capability %q: the name %q must be 1 to 64 letters, digits, _ or -, and not start with a digit or -", c.Name, n)
		}
	}
	switch {
	case strings.TrimSpace(c.Description) == "":
		return fmt.Errorf("capability %q: no description", c.Name)
	case c.Handler == nil:
		return fmt.Errorf("capability %q: no handler", c.Name)
	case c.Kind == "" || c.Class == "":
		return fmt.Errorf("capability %q: no kind or no class", c.Name)
	}
	if len(c.made) > 0 && bytes.Equal(c.made, c.Parameters) {
		return nil
	}
	if err := isObjectSchema(c.Parameters); err != nil {
		return fmt.Errorf("capability %q: parameters: %w", c.Name, err)
	}
	return nil
}

func isObjectSchema(raw json.RawMessage) error {
	var s struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("not a JSON Schema object: %w", err)
	}
	if s.Type != "object" {
		return fmt.Errorf("the schema's type is %v, not object", s.Type)
	}
	return nil
}
