package app

import (
	"slices"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// shown is a request for approval as surfaces and the history have it: the
// person sees where a secret stands, not the secret.
func (c *Core) shown(req agent.ApprovalRequested) agent.ApprovalRequested {
	hide := c.redactor.Redact
	all := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			list[i] = hide(list[i])
		}
		return list
	}
	req.Args = capability.RedactJSON(req.Args, hide)
	req.Commands, req.Reason = all(req.Commands), hide(req.Reason)
	if hide(req.Rule) != req.Rule {
		req.Rule = "" // always is not offered: the settings hold no secrets
	}
	p := &req.Preview
	p.Summary, p.Diff, p.Shell, p.URL, p.Warnings = hide(p.Summary), hide(p.Diff), hide(p.Shell), hide(p.URL), all(p.Warnings)
	return req
}
