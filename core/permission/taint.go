package permission

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A Taint remembers what each conversation has read, because a text may hold
// orders of its author's. The gate then asks before calls that such an order
// would make: those that send data out, and those that keep something for
// later turns. Its fields are set before the first turn.
//
//	clean    nothing was read that someone else could have written
//	touched  files were read, or an earlier turn read text from outside:
//	         a rule of the owner's is enough
//	tainted  this turn has read text from outside: a rule is enough in auto mode
//	         alone, or what a person agreed to with that before their eyes
//
// It is kept in memory: after a restart Begin finds most of it in the history.
type Taint struct {
	Policy *sandbox.Policy // tells which files are the owner's own; may be nil

	mu    sync.Mutex
	of    map[string]*reading // by session
	order []string            // of sessions, the oldest first
}

// reading is what one conversation has read.
type reading struct {
	turn    string            // the latest
	now     []string          // sources from outside in that turn
	before  []string          // sources from outside in earlier ones
	files   []string          // other texts, such as files
	urls    map[string]bool   // whole addresses that were written or read
	hosts   map[string]bool   // hosts that the person named
	made    map[string]bool   // files that came from outside
	pending map[string]string // calls that are let through and will bring text from outside, and whence
}

// Bounds of what is remembered. What is forgotten asks again; sources are never
// forgotten to the last one.
const (
	maxReadings = 512
	maxSources  = 32
	maxURLs     = 20_000
	maxMade     = 5_000
	maxHarvest  = 2 << 20 // bytes of one text that are looked through for addresses
)

// Heard is one message of a history, as Begin takes it.
type Heard struct {
	Text   string
	Person bool // a person wrote it; otherwise a tool gave it
	Images int  // pictures that came with it
}

// Knows reports whether the session's history was given to Begin already.
func (t *Taint) Knows(session string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[session] != nil
}

// Begin starts a turn. Of a session that is not known yet, all that came before
// is given; of others the last message is enough.
func (t *Taint) Begin(turn capability.Turn, history []Heard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.reading(turn)
	for i, h := range history {
		last := i == len(history)-1
		r.harvest(h.Text)
		switch {
		case h.Person && last && (turn.Provenance.MayAgree() || turn.Provenance == capability.FromSchedule): // a job's text was agreed to
			r.said(h.Text)
		case !h.Person && strings.Contains(h.Text, "<untrusted id="):
			add(&r.before, "earlier in this conversation")
		case !h.Person && h.Text != "":
			add(&r.files, "earlier in this conversation")
		}
		if h.Images > 0 {
			add(&r.files, "a picture")
		}
	}
	if turn.Provenance.Outside() {
		add(&r.now, "the message that began it")
	}
}

// Bounds of what counts as a person's own words, in bytes: a host in a short
// message is one that they named; a long one was pasted, and may be anyone's.
const (
	ownMessage    = 500
	pastedMessage = 2000
)

// said takes in what a person wrote.
func (r *reading) said(text string) {
	if len(text) <= ownMessage {
		r.nameHosts(text)
	}
	if len(text) > pastedMessage {
		add(&r.files, "a long message")
	}
}

// Inherit lets a session of a subagent know what the turn has read that gave it
// its task.
func (t *Taint) Inherit(child string, from capability.Turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	parent := t.reading(from)
	r := t.reading(capability.Turn{Session: child})
	r.before = append(slices.Clone(parent.before), parent.now...)
	r.files = slices.Clone(parent.files)
	maps.Copy(r.urls, parent.urls)
	maps.Copy(r.hosts, parent.hosts)
}

// Forget drops what is known of a session.
func (t *Taint) Forget(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, session)
	t.order = slices.DeleteFunc(t.order, func(s string) bool { return s == session })
}

// Read notes that a turn has read text from outside; source says from where.
func (t *Taint) Read(turn capability.Turn, source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add(&t.reading(turn).now, source)
}

// Outside lists where the turn has read text from outside.
func (t *Taint) Outside(turn capability.Turn) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.reading(turn).now)
}

// reading is what is known of the turn's session. A new turn makes what the
// turn before has read a thing of the past.
func (t *Taint) reading(turn capability.Turn) *reading {
	r := t.of[turn.Session]
	if r == nil {
		if t.of == nil {
			t.of = map[string]*reading{}
		}
		if len(t.order) >= maxReadings {
			delete(t.of, t.order[0])
			t.order = t.order[1:]
		}
		r = &reading{urls: map[string]bool{}, hosts: map[string]bool{}, made: map[string]bool{}, pending: map[string]string{}}
		t.of[turn.Session] = r
		t.order = append(t.order, turn.Session)
	}
	if turn.ID != "" && turn.ID != r.turn {
		for _, s := range r.now {
			add(&r.before, s)
		}
		r.turn, r.now = turn.ID, nil
		clear(r.pending)
	}
	return r
}

// add puts a source on a list once; the list keeps its first and its latest.
func add(list *[]string, source string) {
	source = capability.CutText(source, 300)
	switch {
	case slices.Contains(*list, source):
	case len(*list) < maxSources:
		*list = append(*list, source)
	default:
		*list = append((*list)[:maxSources-1], source)
	}
}

// ownWords are tools whose results are this program's or the person's own words.
var ownWords = set("todo_write", "ask_user", "notify", "tool_help", "tool_search", "tool_describe", "check_budget", "file_write", "file_edit", "file_undo", "memory_store",
	"memory_forget", "kill_shell", "request_directory_access", "skill_list")

// Seen takes in what a call gave. It is an [capability.OutputGuard]: a result
// that came from outside in a roundabout way, such as through a command or a
// file that was downloaded, is marked as such.
func (t *Taint) Seen(_ context.Context, c *capability.Capability, call capability.Call, r *capability.Result) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.reading(call.Turn)
	source, roundabout := one.pending[call.ID]
	delete(one.pending, call.ID)
	if file := t.foreignFile(one, c, call, r); file != "" {
		source, roundabout = file, true
	}
	r.Untrusted = r.Untrusted || roundabout
	if call.Turn.Session != "" { // else no later call of a model can use what it names
		one.harvest(r.Text)
		for _, s := range r.Streams {
			one.harvest(s.Text)
		}
	}
	switch {
	case capability.FromOutside(c, r):
		if source == "" {
			source = cameFrom(c, call, r)
		}
		add(&one.now, source)
		for _, f := range r.Files {
			one.download(f)
		}
	case !ownWords[c.Name]:
		add(&one.files, sourceOf(c, call))
	}
	return nil
}

// expect notes that a call which is let through will bring text from outside,
// and which files it writes that to.
func (t *Taint) expect(call capability.Call, source string, files []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.reading(call.Turn)
	r.pending[call.ID] = source
	for _, f := range files {
		r.download(f)
	}
}

func (r *reading) download(file string) {
	if len(r.made) < maxMade {
		r.made[filepath.Clean(file)] = true
	}
}

// foreignFile is the file a call reads that the owner did not write: it was
// downloaded, or lies outside the folders the agent works in.
func (t *Taint) foreignFile(one *reading, c *capability.Capability, call capability.Call, r *capability.Result) string {
	if t.Policy == nil || c.Category != capability.CategoryFile || c.Class != capability.ReadOnly {
		return ""
	}
	abs := r.Source
	if abs == "" {
		var in struct{ Path string }
		if json.Unmarshal(call.Args, &in) != nil || in.Path == "" {
			return ""
		}
		abs = t.Policy.Resolve(call.Turn, in.Path)
	}
	if !one.made[abs] && !downloads(t.Policy.Home(), abs) && t.Policy.Writable(call.Turn, abs) {
		return ""
	}
	return abs
}

// downloads reports whether a file lies where browsers and mail programs put
// what comes from outside.
func downloads(home, abs string) bool { return inside(filepath.Join(home, "Downloads"), abs) }

// cameFrom names where a result came from: what the call named, else the page
// that the result says it is of.
func cameFrom(c *capability.Capability, call capability.Call, r *capability.Result) string {
	source := sourceOf(c, call)
	var of struct{ URL string }
	if source == c.Title && json.Unmarshal(r.Data, &of) == nil && of.URL != "" {
		return of.URL
	}
	return source
}

// sourceOf names what a call has read, for people.
func sourceOf(c *capability.Capability, call capability.Call) string {
	var in struct{ URL, Path, Query, Pattern, Command string }
	_ = json.Unmarshal(call.Args, &in) // what is not there is not named
	for _, s := range []string{in.URL, in.Path, in.Query, in.Pattern, in.Command} {
		if s != "" {
			return s
		}
	}
	if c.Title != "" {
		return c.Title
	}
	return c.Name
}
