package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/store"
)

// version of the JSON form; a change that old readers cannot read makes a new one.
const version = 1

// A document is the JSON form.
type document struct {
	Format  string        `json:"format"` // hobkin.session
	Version int           `json:"version"`
	Session card          `json:"session"`
	Events  []agent.Event `json:"events"`
}

type card struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Workspace string    `json:"workspace,omitempty"`
	Mode      string    `json:"mode,omitempty"`
	Model     string    `json:"model,omitempty"`
	Channel   string    `json:"channel,omitempty"`
	Pinned    bool      `json:"pinned,omitempty"`
	Messages  int       `json:"messages"`
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
}

func lossless(s store.Session, events []agent.Event) (string, error) {
	if events == nil {
		events = []agent.Event{}
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(document{"hobkin.session", version, card{
		s.ID, s.Title, s.Workspace, s.Mode, s.Model, s.Channel, s.Pinned, s.Messages, s.Created, s.Updated,
	}, events})
	return out.String(), err
}
