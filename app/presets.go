package app

import (
	"fmt"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/tools/system"
)

// joinPresets offers the programs of the settings as tools, now and whenever
// the settings change.
func (c *Core) joinPresets() error {
	offer := func(cfg *config.Config) error {
		offered := c.system.Presets(cfg.Sandbox.Commands.Profile, cfg.Sandbox.Commands.Presets)
		if err := c.registry.Replace(capability.KindBuiltin, system.PresetMeta(), offered...); err != nil {
			return fmt.Errorf("app: programs as tools: %w", err)
		}
		return nil
	}
	c.followers = append(c.followers, offer)
	return offer(c.cfg.Load())
}
