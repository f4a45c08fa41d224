package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/store"
)

// A Reviewer has a model look at what was said lately and propose what to add,
// to replace or to archive. Everything it proposes is held for the owner, and it
// cannot propose much at once.
type Reviewer struct {
	Book *Book
	// Ask puts a question to the background model and returns its answer.
	Ask func(ctx context.Context, system, question string) (string, error)
	// Said is what was said since a time, as text, the latest at the end.
	Said func(ctx context.Context, since time.Time) (text, session string, err error)
	// System is the model's order: what to propose and in which form.
	System string
	Now    func() time.Time // nil is the real clock
}

// Bounds of one review.
const (
	reviewEvery  = 24 * time.Hour
	mostSaid     = 24_000 // bytes of what was said
	mostShown    = 200    // memories that the model sees
	mostProposed = 8      // what it may propose at once
	mostChanged  = 3      // of that: what takes away or replaces
	leastSaid    = 200    // bytes: less is not worth a question
	shrinks      = 3      // a replacement this many times shorter than a long memory is one that was cut off
	longMemory   = 200    // bytes
)

// A Review says what became of a review.
type Review struct {
	Held    []Row
	Dropped []string // what was not taken, and why, in sentences
}

// ErrGarbage is the answer of a model that is no list of proposals.
var ErrGarbage = errors.New("memory: the reviewer's answer is no list of proposals")

// ErrTooMuch is the answer of a model that would change too much at once; none of
// it is taken.
var ErrTooMuch = errors.New("memory: the reviewer wanted to change too much at once")

// Due reports whether the last review is long enough ago.
func (r *Reviewer) Due(ctx context.Context) (bool, error) {
	last, err := r.Book.Store.LastMemoryReview(ctx)
	return r.now().Sub(last.At) >= reviewEvery, err
}

func (r *Reviewer) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// Review asks once, when it is due and enough was said. That it was tried is
// noted before: a model that fails is not asked again the same day.
func (r *Reviewer) Review(ctx context.Context) (Review, error) {
	last, err := r.Book.Store.LastMemoryReview(ctx)
	if err != nil || r.now().Sub(last.At) < reviewEvery {
		return Review{}, err
	}
	since := last.At
	if earliest := r.now().Add(-7 * reviewEvery); since.Before(earliest) {
		since = earliest
	}
	said, session, err := r.Said(ctx, since)
	if err != nil || len(said) < leastSaid {
		return Review{}, err
	}
	known, err := r.Book.Store.Memories(ctx, store.MemoryQuery{State: store.MemoryActive, Places: Place{}.places(), Limit: mostShown})
	if err != nil {
		return Review{}, err
	}
	if err := r.Book.Store.NoteMemoryReview(ctx, "reviewer"); err != nil {
		return Review{}, err
	}
	answer, err := r.Ask(ctx, r.System, reviewQuestion(known, said))
	if err != nil {
		return Review{}, fmt.Errorf("memory: the reviewer: %w", err)
	}
	list, err := proposals(answer)
	if err != nil {
		return Review{}, err
	}
	return r.hold(ctx, list, session)
}

// reviewQuestion puts what is known and what was said between marks that neither
// can write itself.
func reviewQuestion(known []Row, said string) string {
	var b strings.Builder
	b.WriteString("<known>\n")
	for _, m := range known {
		b.WriteString(line(m))
	}
	said, _ = capability.Defang(said)
	if len(said) > mostSaid {
		said = strings.ToValidUTF8(said[len(said)-mostSaid:], "")
	}
	b.WriteString("</known>\n\n<said>\n" + strings.ReplaceAll(said, "</said>", "</ said>") + "\n</said>")
	return b.String()
}

// A proposal is one change that the model would make.
type proposal struct {
	Do         string  `json:"do"` // add, replace or archive
	Key        string  `json:"key"`
	Value      string  `json:"value"`
	Category   string  `json:"category"`
	Confidence float64 `json:"confidence"`
	Why        string  `json:"why"`
}

// proposals reads the answer of a model, whatever stands around its list.
func proposals(answer string) ([]proposal, error) {
	var in struct {
		Proposals *[]proposal `json:"proposals"`
	}
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if from < 0 || to < from || json.Unmarshal([]byte(answer[from:to+1]), &in) != nil || in.Proposals == nil {
		return nil, ErrGarbage
	}
	changes := 0
	for _, p := range *in.Proposals {
		if p.Do != "add" {
			changes++
		}
	}
	if len(*in.Proposals) > mostProposed || changes > mostChanged {
		return nil, ErrTooMuch
	}
	return *in.Proposals, nil
}

func (r *Reviewer) hold(ctx context.Context, list []proposal, session string) (Review, error) {
	var out Review
	for _, p := range list {
		row, err := r.holdOne(ctx, p, session)
		if u, ok := capability.AsUserError(err); ok {
			out.Dropped = append(out.Dropped, u.Message)
			continue
		}
		if err != nil {
			return out, err
		}
		if row != nil {
			out.Held = append(out.Held, *row)
		}
	}
	slog.DebugContext(ctx, "memory: reviewed", "held", len(out.Held), "dropped", len(out.Dropped))
	return out, nil
}

// badProposal is something proposed that is not even held.
var badProposal = &capability.Failure{Code: "bad_proposal", When: "the reviewer proposed what cannot be done", Try: "nothing needs to be done"}

func (r *Reviewer) holdOne(ctx context.Context, p proposal, session string) (*Row, error) {
	c := Candidate{
		Trust: capability.Operator, Category: p.Category, Key: p.Key, Value: p.Value, Confidence: p.Confidence, Session: session,
		Source: "the reviewer, from what was said", By: "reviewer", Hold: "the reviewer proposes it: " + capability.CutText(strings.Join(strings.Fields(p.Why), " "), 300),
	}
	old, err := r.Book.active(ctx, Place{}, Key(p.Key))
	switch {
	case err != nil:
		return nil, err
	case p.Do == "add" && old != nil, p.Do != "add" && old == nil:
		return nil, badProposal.Becausef("%q cannot be proposed for %q", capability.CutText(p.Do, 20), capability.CutText(Key(p.Key), MaxKey))
	case p.Do == "add":
	case p.Do == "replace" && len(old.Value) >= longMemory && len(p.Value)*shrinks < len(old.Value):
		return nil, badProposal.Becausef("the new text for %q is much shorter than the old one, as if it was cut off", old.Key)
	case p.Do == "replace":
		c.action, c.target, c.Scope = "replace", old.ID, old.Scope
		c.Category = or(c.Category, old.Category)
	case p.Do == "archive":
		c.action, c.target, c.Scope, c.Value, c.Category, c.Confidence = "archive", old.ID, old.Scope, old.Value, old.Category, old.Confidence
	default:
		return nil, badProposal.Becausef("%q is nothing that can be proposed", capability.CutText(p.Do, 20))
	}
	out, err := r.Book.Admit(ctx, c)
	if err != nil || out.Kind != Held {
		return nil, err
	}
	return &out.Row, nil
}
