package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
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

// SearchMemories finds the memories in places (none: everywhere) that have the
// words of a text, any text, and ranks them by how many of the words they have: a
// rare word weighs more. Where too few have all words, those with some come
// after them.
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
	if len(words) == 0 {
		return nil, nil
	}
	found, err := s.matching(ctx, strings.Join(words, " "), mostHits)
	if err != nil {
		return nil, err
	}
	ranked := ranking{}
	ranked.add(found, 1)
	if len(found) < limit && len(words) > 1 {
		if err := s.partly(ctx, words, ranked); err != nil {
			return nil, err
		}
	}
	if last := words[len(words)-1]; len(ranked) == 0 && utf8.RuneCountInString(last) >= minBeginning+2 { // with its quotes
		if found, err = s.matching(ctx, last+"*", mostHitsWord); err != nil {
			return nil, err
		}
		ranked.add(found, 1/float64(len(words)))
	}
	return s.fetch(ctx, ranked, places, limit)
}

// partly adds the memories that have some of the words.
func (s *Store) partly(ctx context.Context, words []string, ranked ranking) error {
	found, weights, sum := make([][]int64, len(words)), make([]float64, len(words)), 0.0
	for i, w := range words {
		var err error
		if found[i], err = s.matching(ctx, w, mostHitsWord); err != nil {
			return err
		}
		weights[i] = 1 / (1 + math.Log1p(float64(len(found[i]))))
		sum += weights[i]
	}
	parts := ranking{}
	for i := range words {
		parts.add(found[i], weights[i]/sum)
	}
	for num, match := range parts {
		if ranked[num] == 0 {
			ranked[num] = min(match, 0.99) // those that have every word come first
		}
	}
	return nil
}

// matching returns the numbers of the newest memories that a query finds.
func (s *Store) matching(ctx context.Context, match string, most int) ([]int64, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT rowid FROM memory_search WHERE memory_search MATCH ? ORDER BY rowid DESC LIMIT ?", match, most)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(r *sql.Rows) (num int64, err error) { return num, r.Scan(&num) })
}

// fetch reads the best of a ranking that lie in places.
func (s *Store) fetch(ctx context.Context, ranked ranking, places []MemoryPlace, limit int) ([]MemoryHit, error) {
	where, more := "", []any(nil)
	if len(places) > 0 {
		where, more = placesIn(places)
		where = " AND " + where
	}
	var out []MemoryHit
	for nums := range slices.Chunk(ranked.order(), limit+10) {
		args := make([]any, len(nums), len(nums)+len(more))
		for i, n := range nums {
			args[i] = n
		}
		rows, err := s.readers.QueryContext(ctx, "SELECT "+memoryColumns+", num FROM memories WHERE num IN (?"+strings.Repeat(",?", len(nums)-1)+")"+where, append(args, more...)...)
		if err != nil {
			return nil, err
		}
		part, err := collect(rows, func(r *sql.Rows) (h MemoryHit, err error) {
			var num int64
			h.Memory, err = scanMemory(r, &num)
			h.Match = ranked[num]
			return h, err
		})
		if err != nil {
			return nil, err
		}
		if out = append(out, part...); len(out) >= limit {
			break
		}
	}
	slices.SortFunc(out, func(a, b MemoryHit) int {
		return cmp.Or(cmp.Compare(b.Match, a.Match), b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	return out[:min(limit, len(out))], nil
}

// A ranking adds up what is found of each memory, by its number.
type ranking map[int64]float64

func (r ranking) add(nums []int64, weight float64) {
	for _, n := range nums {
		r[n] += weight
	}
}

// order is the best first, and of equals the newest.
func (r ranking) order() []int64 {
	return slices.SortedFunc(maps.Keys(r), func(a, b int64) int { return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(b, a)) })
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
