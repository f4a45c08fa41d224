// Package session writes conversations as documents and gives them titles.
//
// A conversation is the stream of its events. For people it becomes a list of
// blocks (what was said, what was run, what happened), which the Markdown and
// HTML forms write down; the JSON form is the stream itself, without loss.
package session

import (
	"errors"
	"fmt"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/store"
)

// The formats of [Export].
const (
	Markdown = "markdown"
	HTML     = "html"
	JSON     = "json"
)

// ErrFormat says that there is no such format.
var ErrFormat = errors.New("no such format: use markdown, html or json")

// Export writes a session and its events, in order, as a document. The error is
// [ErrFormat] for an unknown format.
func Export(format string, s store.Session, events []agent.Event) (string, error) {
	var text string
	var err error
	switch format {
	case Markdown:
		text = markdown(s, blocks(events))
	case HTML:
		text, err = page(s, blocks(events))
	case JSON:
		text, err = lossless(s, events)
	default:
		return "", fmt.Errorf("session: %q: %w", format, ErrFormat)
	}
	if err != nil {
		return "", fmt.Errorf("session: exporting as %s: %w", format, err)
	}
	return text, nil
}

// name is what a document is called.
func name(s store.Session) string {
	if s.Title == "" {
		return untitled
	}
	return s.Title
}

// A fact is a line of a document's head.
type fact struct{ Name, Value string }

const timeFormat = "2006-01-02 15:04 UTC"

func facts(s store.Session) []fact {
	all := []fact{
		{"Session", s.ID},
		{"Folder", s.Workspace},
		{"Model", s.Model},
		{"Begun", s.Created.UTC().Format(timeFormat)},
		{"Last used", s.Updated.UTC().Format(timeFormat)},
	}
	var out []fact
	for _, f := range all {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}
