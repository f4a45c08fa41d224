package app

import (
	"context"
	"log/slog"
	"sync"

	"github.com/hobkin/hobkin/core/config"
)

// A follower takes in settings that changed. It must be quick. An error means
// that it goes on with what it had.
type follower func(*config.Config) error

// take makes cfg the settings in force. Where a part cannot work with them, all
// goes on with those of before.
func (c *Core) take(cfg *config.Config) error {
	old := c.cfg.Swap(cfg)
	for i, tell := range c.followers {
		err := tell(cfg)
		if err == nil {
			continue
		}
		c.cfg.Store(old)
		for _, back := range c.followers[:i] {
			if err := back(old); err != nil {
				slog.Error("app: going back to the settings of before", "error", err)
			}
		}
		return err
	}
	c.changes.tell()
	return nil
}

// changes lets parts wait for the next change of the settings.
type changes struct {
	mu  sync.Mutex
	now context.Context
	end context.CancelFunc
}

// next returns a context that ends at the next change.
func (c *changes) next() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil {
		c.now, c.end = context.WithCancel(context.Background())
	}
	return c.now
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		c.end()
	}
	c.now, c.end = nil, nil
}

// settingsChanged returns a context that ends when the settings change.
func (c *Core) settingsChanged() context.Context { return c.changes.next() }
