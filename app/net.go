package app

import "github.com/hobkin/hobkin/core/netguard"

// net is the configuration of the one guard of the network, which everything of
// this core goes through.
func (c *Core) net() netguard.Config {
	return netguard.Config{AllowHosts: c.cfg.Load().Net.AllowHosts}
}
