package app

import (
	"slices"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/tools/file"
)

// bind gives every group of tools its host: one line a group, none a tool.
func (c *Core) bind() []capability.Capability {
	c.files = &file.Host{Paths: c.policy, Journal: c.store, Limits: c.fileLimits()}
	return slices.Concat(
		file.Tools.Bind(c.files),
	)
}

func (c *Core) fileLimits() file.Limits {
	t := c.cfg.Load().Tools
	return file.Limits{
		ReadLines: t.File.ReadLines, ReadBytes: t.File.ReadBytes, Whole: int64(t.File.WholeBytes), Entries: t.File.ListEntries,
		Hits: t.Search.Results, MaxHits: t.Search.MaxResults, SearchTime: t.Search.Timeout.Std(),
	}
}
