package app

import "github.com/hobkin/hobkin/core/capability"

// deferral says whose schemas the settings leave out of requests.
func (c *Core) deferral() capability.Deferral {
	s := c.cfg.Load().Tools.ToolSearch
	return capability.Deferral{Enabled: s.Enabled, Threshold: s.Threshold, NeverDefer: s.NeverDefer}
}
