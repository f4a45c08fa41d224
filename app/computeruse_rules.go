package app

import (
	"context"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/computeruse/tool"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/permission"
)

// appPrefix begins the match of a rule about a program on the screen.
const appPrefix = "app:"

// screenRules are the rules that the lists of programs stand for. Those that are
// never used are refused before any rule is asked; so the list with a * in it
// needs none.
func screenRules(cu config.ComputerUse) []permission.Rule {
	var out []permission.Rule
	for _, name := range cu.AllowedApps {
		if !slices.ContainsFunc(cu.DeniedApps, func(d string) bool { return strings.EqualFold(d, name) }) {
			out = append(out, permission.Rule{Tool: tool.Name, Match: appPrefix + strings.ToLower(name), Action: permission.Allow})
		}
	}
	return out
}

// keepScreenRule keeps what a person always wants of a program in the list that
// the setup page shows; done is false for every other rule.
func (c *Core) keepScreenRule(ctx context.Context, r permission.Rule) (done bool, err error) {
	name, about := strings.CutPrefix(r.Match, appPrefix)
	use := map[permission.Action]string{permission.Allow: "allow", permission.Deny: "deny"}[r.Action]
	if r.Tool != tool.Name || !about || r.Scope != "" || use == "" || !config.ValidApp(name) {
		return false, nil
	}
	return true, c.setComputerApp(ctx, appUse(name, use))
}
