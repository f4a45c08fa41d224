package config

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// The errors of adding and removing tool servers.
var (
	ErrServerExists = errors.New("config: a server of that name is there already")
	ErrNoServer     = errors.New("config: there is no server of that name")
)

// AddServer adds a tool server under a name that none has.
func (f File) AddServer(ctx context.Context, name string, s MCPServer) error {
	if !mcpName().MatchString(name) {
		return fmt.Errorf("config: the name %q must be 1 to 32 letters, digits, - or _, and begin with a letter", name)
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("config: the server %s: %w", name, err)
	}
	return f.edit(ctx, func(d *document) ([]change, error) { return d.addServer(name, s) })
}

// RemoveServer takes a tool server out, with what is different for its tools.
func (f File) RemoveServer(ctx context.Context, name string) error {
	return f.edit(ctx, func(d *document) ([]change, error) { return d.removeServer(name) })
}

func (d *document) addServer(name string, s MCPServer) ([]change, error) {
	path := []string{"mcp", "servers", name}
	if d.has(path) {
		return nil, fmt.Errorf("%w: %s", ErrServerExists, name)
	}
	value := encode(reflect.ValueOf(s))
	v, err := decodeValue(value)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	want := func(root map[string]any) error { return put(root, path, v) }
	var b strings.Builder
	b.WriteString("[" + joinKey(path) + "]\n")
	t := reflect.ValueOf(s)
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsZero() {
			b.WriteString(t.Type().Field(i).Tag.Get("toml") + " = " + encode(f) + "\n")
		}
	}
	end := len(d.text)
	return []change{{span{end, end}, d.gap() + b.String(), want}}, nil
}

// has reports whether anything stands at path or below it.
func (d *document) has(path []string) bool {
	for _, e := range d.entries {
		if hasPrefix(e.path, path) {
			return true
		}
	}
	return false
}

// removeServer cuts the tables of a server, which stand one after another, or
// its key.
func (d *document) removeServer(name string) ([]change, error) {
	path := []string{"mcp", "servers", name}
	if !d.has(path) {
		return nil, fmt.Errorf("%w: %s", ErrNoServer, name)
	}
	var out []change
	for i, s := range d.sections {
		if !hasPrefix(s.path, path) {
			continue
		}
		end := s.end
		for _, next := range d.sections[i+1:] {
			if !hasPrefix(next.path, path) {
				break
			}
			end = next.end
		}
		for _, empty := range []int{0, 1, 2} { // tables that were only there for it go too
			out = append(out, change{span{s.start, end}, "", func(root map[string]any) error { return prune(root, path, empty) }})
		}
		break
	}
	more, err := d.unset(path)
	if out = append(out, more...); len(out) == 0 && err == nil {
		err = errNoPlace // it is made of dotted keys
	}
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// prune drops what stands at path, and as many tables above as are empty then.
func prune(root map[string]any, path []string, above int) error {
	for n := range above + 1 {
		if err := drop(root, path[:len(path)-n]); err != nil {
			return err
		}
	}
	return nil
}
