package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
)

// A Query picks sessions.
type Query struct {
	Search         string // words in titles and messages; any text is safe
	Limit          int    // 0 means 50, and 10,000 is the most
	Offset         int
	Deleted        bool // the deleted ones instead of the others
	IncludeDeleted bool // the deleted ones too
}

// maxList bounds one answer.
const maxList = 10_000

// maxHits bounds what a search looks at: with a word that more messages have,
// those of the newest sessions count.
const maxHits = 10_000

// found are the numbers of sessions with a hit, and the message of the newest.
const found = `WITH hits AS (
  SELECT rowid AS id FROM message_search WHERE message_search MATCH ? ORDER BY rowid DESC LIMIT ?
), found AS (
  SELECT num AS hit, max(message) AS message FROM (
    SELECT id >> 32 AS num, id AS message FROM hits UNION ALL
    SELECT rowid, 0 FROM title_search WHERE title_search MATCH ?
  ) GROUP BY num
) `

// Sessions lists sessions: pinned ones first, then the newest first.
func (s *Store) Sessions(ctx context.Context, q Query) ([]Session, error) {
	list, err := s.list(ctx, q)
	if isIndexDamage(err) {
		slog.WarnContext(ctx, "store: the search index is damaged and is made again", "error", err)
		if err = s.rebuildIndex(ctx); err == nil {
			list, err = s.list(ctx, q)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store: listing sessions: %w", s.reading(ctx, err))
	}
	return list, nil
}

func (s *Store) list(ctx context.Context, q Query) ([]Session, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	q.Limit = min(q.Limit, maxList)
	match := matchQuery(q.Search)
	with, from, message, args := "", "sessions", "0", []any{}
	if match != "" {
		with, from, message = found, "found JOIN sessions ON num = hit", "message"
		args = append(args, match, maxHits, match)
	} else if q.Search != "" {
		return nil, nil // nothing but signs, which are nowhere found
	}
	rows, err := s.readers.QueryContext(ctx,
		with+"SELECT "+sessionColumns+", num, "+message+" FROM "+from+" WHERE "+q.where()+" ORDER BY pinned DESC, updated DESC, num DESC LIMIT ? OFFSET ?",
		append(args, q.Limit, max(q.Offset, 0))...)
	if err != nil {
		return nil, err
	}
	type hit struct {
		Session
		num, message int64
	}
	hits, err := collect(rows, func(r *sql.Rows) (h hit, err error) {
		h.Session, err = scanSession(r, &h.num, &h.message)
		return h, err
	})
	if err != nil {
		return nil, err
	}
	list, texts := make([]Session, len(hits)), map[int64]string{}
	if match != "" {
		ids := make([]any, len(hits))
		for i, h := range hits {
			ids[i] = h.message
		}
		if texts, err = s.textsOf(ctx, ids); err != nil {
			return nil, err
		}
	}
	for i, h := range hits {
		list[i] = h.Session
		if match == "" {
			continue
		}
		text, ok := texts[h.message]
		if !ok {
			text = h.Title
		}
		list[i].Snippet = snippet(text, q.Search)
	}
	return list, nil
}

func (q Query) where() string {
	switch {
	case q.Deleted:
		return "deleted > 0"
	case q.IncludeDeleted:
		return "true"
	}
	return "deleted = 0"
}

// textsOf reads the words of messages.
func (s *Store) textsOf(ctx context.Context, ids []any) (map[int64]string, error) {
	texts := map[int64]string{}
	if len(ids) == 0 {
		return texts, nil
	}
	rows, err := s.readers.QueryContext(ctx, "SELECT id, text FROM messages WHERE id IN (?"+strings.Repeat(",?", len(ids)-1)+")", ids...)
	if err != nil {
		return nil, err
	}
	_, err = collect(rows, func(r *sql.Rows) (none struct{}, err error) {
		var id int64
		var text string
		err = r.Scan(&id, &text)
		texts[id] = text
		return none, err
	})
	return texts, err
}
