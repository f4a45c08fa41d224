package sandbox

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/hobkin/hobkin/core/capability"
)

// Try is [Policy.Judge] that keeps no record of a refusal: for those who want
// to know beforehand what would become of a call.
func (p *Policy) Try(turn capability.Turn, path string, use Use) (abs string, err error) {
	t, err := p.rules.Load().judge(turn, path, use)
	if err != nil {
		return "", err
	}
	return t.abs, nil
}

// Resolve tells where a path leads, whether it may be used or not. What cannot
// be followed to its end is returned as it is written.
func (p *Policy) Resolve(turn capability.Turn, path string) string {
	r := p.rules.Load()
	abs, err := r.absolute(path, turn.Workspace)
	if err != nil {
		return filepath.Clean(path)
	}
	t, err := resolve(abs, nil)
	if err != nil {
		return filepath.Clean(abs)
	}
	return t.abs
}

// Secret reports whether abs, an absolute path without links, holds
// credentials or belongs to this app. Folders of the system are no secret.
func (p *Policy) Secret(abs string) bool { return p.rules.Load().secret(abs) }

// Secrets lists the absolute paths of credentials and of this app's own, to be
// compared with patterns. Most of them do not exist on any one machine. The
// list is not to be changed.
func (p *Policy) Secrets() []string { return slices.Clip(p.rules.Load().keys) }

// secretPaths are all paths of secrets and of our own folders, in order.
func (r *rules) secretPaths() []string {
	var out []string
	for _, t := range []tree{r.secrets, r.own} {
		for _, names := range t {
			out = slices.AppendSeq(out, maps.Values(names))
		}
	}
	slices.Sort(out)
	return out
}

// Home is the user's home folder, resolved.
func (p *Policy) Home() string { return p.rules.Load().home }
