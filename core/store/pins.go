package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
)

// ToolPins returns the definitions of a tool server's tools, as JSON by name,
// that the owner has seen.
func (s *Store) ToolPins(ctx context.Context, server string) (map[string]string, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT tool, definition FROM tool_pins WHERE server = ?", server)
	if err != nil {
		return nil, fmt.Errorf("store: tool pins: %w", s.reading(ctx, err))
	}
	out := map[string]string{}
	_, err = collect(rows, func(r *sql.Rows) (struct{}, error) {
		var tool, definition string
		err := r.Scan(&tool, &definition)
		out[tool] = definition
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("store: tool pins: %w", s.reading(ctx, err))
	}
	return out, nil
}

// PinTools keeps definitions in place of those of the same names.
func (s *Store) PinTools(ctx context.Context, server string, definitions map[string]string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		for _, tool := range slices.Sorted(maps.Keys(definitions)) {
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO tool_pins (server, tool, definition, at) VALUES (?,?,?,?)",
				server, tool, definitions[tool], micros(s.now()))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store: pinning tools: %w", err)
	}
	return nil
}

// UnpinTools forgets the tools of a server.
func (s *Store) UnpinTools(ctx context.Context, server string) error {
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM tool_pins WHERE server = ?", server)
		return err
	})
	if err != nil {
		return fmt.Errorf("store: unpinning tools: %w", err)
	}
	return nil
}
