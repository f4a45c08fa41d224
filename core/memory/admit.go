package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/store"
)

// A Candidate is what someone wants remembered.
type Candidate struct {
	Trust      capability.Trust // of whoever said it
	Place      Place
	Scope      string // empty: what fits the category
	Category   string // empty: that of what has the key, else environment
	Key, Value string
	Confidence float64 // 0 to 1; 0 means [Sure]
	Session    string  // where it was said
	Turn, Call string
	Source     string // who or what told it, for people
	By         string // who stores it, for the history
	Hold       string // why it must wait for the owner; empty when it need not

	action, target string // of what is held: replace or archive this one
}

// Bounds of one memory.
const (
	Sure         = 0.9  // the confidence of who gives none
	MinSure      = 0.75 // below it nothing is let in
	MaxKey       = 100  // bytes
	MaxValue     = 4000 // bytes
	maxHeld      = 200  // that wait for the owner at once
	defaultClass = Environment
)

// What became of a candidate.
const (
	Added     = "added"
	Replaced  = "replaced"  // it took the place of what had its key
	Held      = "held"      // it waits for the owner
	Unchanged = "unchanged" // it is remembered already
)

// An Outcome says what became of a candidate.
type Outcome struct {
	Kind string
	Row  Row  // the memory that counts now, or that waits
	Old  *Row // whose place it took or would take
}

// Admit checks a candidate and lets it in, holds it, or drops it. What is not
// let in is a [capability.UserError] of one of the failures of this package.
//
//	category → trust → key and value → confidence → scope → a correction goes
//	where the old one was → nothing new? → held or let in
func (b *Book) Admit(ctx context.Context, c Candidate) (Outcome, error) {
	old, err := b.check(ctx, &c)
	if err != nil {
		return Outcome{}, err
	}
	place, _ := c.Place.in(c.Scope)
	row := Row{
		Scope: place.Scope, Subject: place.Subject, Category: c.Category, Key: c.Key, Value: c.Value, Confidence: c.Confidence,
		State: store.MemoryActive, Action: or(c.action, "add"), Target: c.target, Session: c.Session, Turn: c.Turn, Call: c.Call, Source: c.Source, Reason: c.Hold,
	}
	if old != nil && (old.Scope != row.Scope || old.Subject != row.Subject) {
		old = nil // it stays beside it
	}
	if old != nil {
		row.Target = or(row.Target, old.ID)
	}
	if same, err := b.unchanged(ctx, row, old); same != nil || err != nil {
		return Outcome{Kind: Unchanged, Row: deref(same)}, err
	}
	return b.let(ctx, row, old, c)
}

// Check tells whether a candidate could be let in, without doing it.
func (b *Book) Check(ctx context.Context, c Candidate) error {
	_, err := b.check(ctx, &c)
	return err
}

// check takes a candidate through the checks, and finds what has its key.
func (b *Book) check(ctx context.Context, c *Candidate) (*Row, error) {
	c.Key = Key(c.Key)
	c.Value = strings.TrimSpace(strings.ToValidUTF8(c.Value, "\ufffd"))
	old, err := b.active(ctx, c.Place, c.Key)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(*Candidate, *Row) error{b.category, b.trust, b.words, b.confidence, b.scope} {
		if err := check(c, old); err != nil {
			return nil, err
		}
	}
	return old, nil
}

func deref(r *Row) Row {
	if r == nil {
		return Row{}
	}
	return *r
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// Key is a key as it is kept: small letters, words joined by -.
func Key(text string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(text, "")), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '_' || r == '-'
	})
	return strings.Join(words, "-")
}

func (b *Book) category(c *Candidate, old *Row) error {
	if c.Category == "" {
		c.Category = defaultClass
		if old != nil {
			c.Category = old.Category
		}
	}
	if !slices.Contains(Categories(), c.Category) {
		return BadCategory.Becausef("%q is no category", capability.CutText(c.Category, 64))
	}
	return nil
}

func (b *Book) trust(c *Candidate, _ *Row) error {
	if c.Trust != capability.Operator && (c.Category == Instruction || c.Category == Correction) {
		return GuestRule.Becausef("a guest cannot have an %s remembered", c.Category)
	}
	return nil
}

func (b *Book) words(c *Candidate, _ *Row) error {
	wordless := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	switch {
	case wordless(c.Key):
		return Blank.Becausef("the key has no words")
	case wordless(c.Value):
		return Blank.Becausef("the value has no words")
	case len(c.Key) > MaxKey:
		return TooLong.Becausef("the key has %d bytes, %d are the most", len(c.Key), MaxKey)
	case len(c.Value) > MaxValue:
		return TooLong.Becausef("the value has %d bytes, %d are the most", len(c.Value), MaxValue)
	case b.secret(c.Key) || b.secret(c.Value) || b.secret(c.Key+": "+c.Value):
		return HasSecret.Becausef("what should be remembered holds what looks like a secret")
	}
	return nil
}

// named are words that a password is told with, in the languages of the window.
var named = lazy.Regexp(`(?i)\b(pass-?(word|wd|phrase|wort)|kennwort|contraseña|mot de passe|api[ -]?key)\b( (for|of|für|de|du) .{1,40}?)?\s*([:=：]|\b(is|ist|lautet|es|est)\b)\s*\S` +
	`|(パスワード|密码|密碼)\s*[:=：は是]\s*\S`)

func (b *Book) secret(text string) bool {
	return named().MatchString(text) || b.Secrets != nil && b.Secrets.Redact(text) != text
}

func (b *Book) confidence(c *Candidate, _ *Row) error {
	if c.Confidence == 0 {
		c.Confidence = Sure
	}
	if !(c.Confidence >= MinSure && c.Confidence <= 1) { // NaN too
		return Unsure.Becausef("a confidence of %.2f is not between %.2f and 1", c.Confidence, MinSure)
	}
	return nil
}

// scope settles where a candidate belongs. A correction goes where what it
// corrects is; anything else that has the key of something stays there too,
// unless it says otherwise.
func (b *Book) scope(c *Candidate, old *Row) error {
	switch {
	case old != nil && (c.Category == Correction || c.Scope == ""):
		c.Scope = old.Scope
	case c.Scope == "" && slices.Contains([]string{Project, Environment, Instruction}, c.Category):
		c.Scope = ScopeAgent
	case c.Scope == "":
		c.Scope = ScopeOwner
	}
	if _, ok := c.Place.in(c.Scope); !ok {
		return BadScope.Becausef("%q is no scope that can be used here", capability.CutText(c.Scope, 64))
	}
	return nil
}

// unchanged finds what is the same already: under the key, under another key in
// the same place, or among what waits.
func (b *Book) unchanged(ctx context.Context, row Row, old *Row) (*Row, error) {
	if row.Action == "add" {
		if old != nil && old.Value == row.Value && old.Category == row.Category {
			return old, nil
		}
		same, ok, err := b.Store.SameMemory(ctx, store.MemoryPlace{Scope: row.Scope, Subject: row.Subject}, row.Value)
		if err != nil || ok && (same.Category == row.Category || row.Category == Environment) {
			return &same, err
		}
	}
	if row.Reason == "" {
		return nil, nil
	}
	waiting, err := b.Store.Memories(ctx, store.MemoryQuery{State: store.MemoryHeld, Key: row.Key, Places: []store.MemoryPlace{{Scope: row.Scope, Subject: row.Subject}}})
	i := slices.IndexFunc(waiting, func(w Row) bool { return w.Value == row.Value && w.Action == row.Action && w.Target == row.Target })
	if err != nil || i < 0 {
		return nil, err
	}
	return &waiting[i], nil
}

// let keeps a row that has passed, as what counts or as what waits.
func (b *Book) let(ctx context.Context, row Row, old *Row, c Candidate) (Outcome, error) {
	kind := Added
	if old != nil {
		kind = Replaced
	}
	if c.Hold != "" {
		kind, row.State = Held, store.MemoryHeld
		if n, err := b.Store.CountMemories(ctx, store.MemoryHeld); err != nil || n >= maxHeld {
			if err == nil {
				err = TooManyHeld.Becausef("%d memories wait for the owner", n)
			}
			return Outcome{}, err
		}
	}
	row, err := b.Store.AddMemory(ctx, row, or(c.By, "agent"))
	if err != nil {
		return Outcome{}, fmt.Errorf("memory: %w", err)
	}
	return Outcome{Kind: kind, Row: row, Old: old}, nil
}
