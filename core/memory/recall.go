package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// The sources that recall looks into.
const (
	SourceMemories = "memories"
	SourceHistory  = "history" // past conversations
	SourceFiles    = "files"   // files that the owner added
	SourceAll      = "all"
)

// A Question is what recall is asked. Without key and search it lists the newest
// memories.
type Question struct {
	Place  Place
	Key    string // one memory, by its key
	Search string // words; any text is safe
	Scope  string // current, owner or all; empty is current
	Source string // see above; empty is memories
	Limit  int    // 0 means 10, and 100 is the most
}

// A Hit is one thing that recall found. One of Row and Text is set.
type Hit struct {
	Row     *Row
	From    string // of a text: history or files
	Where   string // of a text: the session, or the file and place in it
	Title   string
	Text    string
	At      time.Time
	Session string // of a conversation, its id
}

// Recall finds memories, and where it is asked to also what was said in past
// conversations and what stands in the owner's files. Memories come first.
func (b *Book) Recall(ctx context.Context, q Question) ([]Hit, error) {
	if q.Limit <= 0 {
		q.Limit = 10
	}
	q.Limit = min(q.Limit, 100)
	var out []Hit
	for source, find := range map[string]func(context.Context, Question) ([]Hit, error){SourceMemories: b.memories, SourceHistory: b.history, SourceFiles: b.files} {
		if q.Source != source && q.Source != SourceAll && (q.Source != "" || source != SourceMemories) {
			continue
		}
		hits, err := find(ctx, q)
		if err != nil {
			return nil, err
		}
		out = append(out, hits...)
	}
	slices.SortStableFunc(out, func(x, y Hit) int { return cmp.Compare(rank(x), rank(y)) })
	return out, nil
}

func rank(h Hit) int {
	if h.Row != nil {
		return 0
	}
	return 1 + slices.Index([]string{SourceHistory, SourceFiles}, h.From)
}

// scopes are the places that a question means.
func (q Question) scopes() []store.MemoryPlace {
	switch q.Scope {
	case ScopeOwner:
		return []store.MemoryPlace{{Scope: ScopeOwner}}
	case "all":
		return nil // of every session and job too
	}
	return q.Place.places()
}

func (b *Book) memories(ctx context.Context, q Question) (out []Hit, err error) {
	var list []Row
	if q.Search == "" {
		list, err = b.Store.Memories(ctx, store.MemoryQuery{State: store.MemoryActive, Places: q.scopes(), Key: Key(q.Key), Limit: q.Limit})
	} else {
		list, err = b.search(ctx, q)
	}
	for i := range list {
		out = append(out, Hit{Row: &list[i], At: list[i].At})
	}
	return out, err
}

// search ranks what has the words by how well it fits, how sure it is, how new
// and of what kind.
func (b *Book) search(ctx context.Context, q Question) ([]Row, error) {
	found, err := b.Store.SearchMemories(ctx, q.Search, q.scopes(), max(30, q.Limit))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	score := func(h store.MemoryHit) float64 {
		s := h.Match + 0.1*h.Confidence + 0.1*math.Exp(-now.Sub(h.At).Hours()/(24*90))
		if Key(q.Search) == h.Key {
			s++
		}
		return s - 0.01*float64(slices.Index(Categories(), h.Category))
	}
	slices.SortStableFunc(found, func(x, y store.MemoryHit) int { return cmp.Compare(score(y), score(x)) })
	var out []Row
	for _, h := range found[:min(q.Limit, len(found))] {
		if q.Key == "" || h.Key == Key(q.Key) {
			out = append(out, h.Memory)
		}
	}
	return out, nil
}

// history finds past conversations. It looks through what was said there, the
// results of tools too, so that its texts may be anyone's.
func (b *Book) history(ctx context.Context, q Question) (out []Hit, err error) {
	words := or(q.Search, q.Key)
	if words == "" {
		return nil, nil
	}
	list, err := b.Store.Sessions(ctx, store.Query{Search: words, Limit: q.Limit + 1})
	for _, s := range list {
		if s.ID != q.Place.Session && len(out) < q.Limit {
			out = append(out, Hit{From: SourceHistory, Where: "session " + s.ID, Title: s.Title, Text: s.Snippet, At: s.Updated, Session: s.ID})
		}
	}
	return out, err
}
