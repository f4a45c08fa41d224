package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A MemoryHit is a memory that a search found.
type MemoryHit struct {
	Memory

	Match float64 // 0 to 1: how much of what was looked for it has
}

// Bounds of one search. Of a word that more memories have, the newest count: so
// a search takes as long among a million as among a thousand.
const (
	mostHits     = 400 // with all words
	mostHitsWord = 200 // with one of them
	minBeginning = 3   // characters of a word that is looked for by its beginning
)

// SearchMemories finds the memories in places that have the words of a text, any
// text, and ranks them by how many of the words they have: a rare word weighs
// more. Where too few have all words, those with some come after them.
func (s *Store) SearchMemories(ctx context.Context, text string, places []MemoryPlace, limit int) ([]MemoryHit, error) {
	hits, err := s.searchMemories(ctx, text, places, limit)
	if isIndexDamage(err) {
		slog.WarnContext(ctx, "store: the search index is damaged and is made again", "error", err)
		if err = s.rebuildIndex(ctx); err == nil {
			hits, err = s.searchMemories(ctx, text, places, limit)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store: searching memories: %w", s.reading(ctx, err))
	}
	return hits, nil
}

func (s *Store) searchMemories(ctx context.Context, text string, places []MemoryPlace, limit int) ([]MemoryHit, error) {
	words := matchWords(text)
	if len(words) == 0 || len(places) == 0 {
		return nil, nil
	}
	found, err := s.matching(ctx, strings.Join(words, " "), places, max(mostHits, limit))
	if err != nil {
		return nil, err
	}
	ranked := ranking{of: map[string]*MemoryHit{}}
	ranked.add(found, 1)
	if len(found) < limit && len(words) > 1 {
		if err := s.partly(ctx, words, places, &ranked); err != nil {
			return nil, err
		}
	}
	if last := words[len(words)-1]; len(ranked.of) == 0 && utf8.RuneCountInString(last) >= minBeginning+2 { // with its quotes
		if found, err = s.matching(ctx, last+"*", places, mostHitsWord); err != nil {
			return nil, err
		}
		ranked.add(found, 1/float64(len(words)))
	}
	return ranked.best(limit), nil
}

// partly adds the memories that have some of the words.
func (s *Store) partly(ctx context.Context, words []string, places []MemoryPlace, ranked *ranking) error {
	found, weights, sum := make([][]Memory, len(words)), make([]float64, len(words)), 0.0
	for i, w := range words {
		var err error
		if found[i], err = s.matching(ctx, w, places, mostHitsWord); err != nil {
			return err
		}
		weights[i] = 1 / (1 + math.Log1p(float64(len(found[i]))))
		sum += weights[i]
	}
	parts := ranking{of: map[string]*MemoryHit{}}
	for i := range words {
		parts.add(found[i], weights[i]/sum)
	}
	for id, hit := range parts.of {
		if ranked.of[id] == nil {
			hit.Match = min(hit.Match, 0.99) // fewer than all that have every word
			ranked.of[id] = hit
		}
	}
	return nil
}

// matching returns the newest memories of places that a query finds.
func (s *Store) matching(ctx context.Context, match string, places []MemoryPlace, most int) ([]Memory, error) {
	in, args := placesIn(places)
	rows, err := s.readers.QueryContext(ctx, "SELECT "+memoryColumns+" FROM (SELECT rowid AS hit FROM memory_search WHERE memory_search MATCH ? ORDER BY rowid DESC LIMIT ?) JOIN memories ON num = hit WHERE "+in+
		" ORDER BY num DESC", append([]any{match, most}, args...)...)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(r *sql.Rows) (Memory, error) { return scanMemory(r) })
}

// A ranking adds up what is found of each memory.
type ranking struct{ of map[string]*MemoryHit }

func (r *ranking) add(list []Memory, weight float64) {
	for _, m := range list {
		if r.of[m.ID] == nil {
			r.of[m.ID] = &MemoryHit{Memory: m}
		}
		r.of[m.ID].Match += weight
	}
}

func (r *ranking) best(limit int) []MemoryHit {
	out := make([]MemoryHit, 0, len(r.of))
	for _, h := range r.of {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b MemoryHit) int {
		return cmp.Or(cmp.Compare(b.Match, a.Match), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	return out[:min(limit, len(out))]
}

// matchWords makes any text into queries, one a word, each once.
func matchWords(text string) (out []string) {
	for _, w := range pieces(clip(text)) {
		if q := w.quoted(); !slices.Contains(out, q) && len(out) < maxWords {
			out = append(out, q)
		}
	}
	return out
}

// SearchPassages finds passages of the owner's sources, the newest first.
func (s *Store) SearchPassages(ctx context.Context, text string, limit int) ([]Passage, error) {
	match := strings.Join(matchWords(text), " ")
	if match == "" {
		return nil, nil
	}
	rows, err := s.readers.QueryContext(ctx, "SELECT path, place, text FROM (SELECT rowid AS hit FROM passage_search WHERE passage_search MATCH ? ORDER BY rowid DESC LIMIT ?) "+
		"JOIN memory_passages p ON p.num = hit JOIN memory_sources x ON x.id = source ORDER BY p.num DESC", match, limit)
	if err != nil {
		return nil, fmt.Errorf("store: searching sources: %w", s.reading(ctx, err))
	}
	list, err := collect(rows, func(r *sql.Rows) (p Passage, err error) { return p, r.Scan(&p.Path, &p.Place, &p.Text) })
	if err != nil {
		return nil, fmt.Errorf("store: searching sources: %w", s.reading(ctx, err))
	}
	return list, nil
}
