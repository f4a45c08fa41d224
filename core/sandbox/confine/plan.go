package confine

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Grant is a path that a command gets, with all below it.
type Grant struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	Why   string `json:"why"` // as the end of a sentence: "it is …"
}

// A Link is a symbolic link that has to be made where its folder is not granted
// whole.
type Link struct{ Path, To string }

// A Plan is a Spec made concrete, for the files that exist now.
type Plan struct {
	Grants []Grant // those above before those below
	// Passages are folders that are not granted themselves, only some of what
	// they hold: in them nothing can be made, and nothing else is seen.
	Passages []string
	Links    []Link
	// Masks are paths inside of grants that are covered. A backend that cannot
	// cover has none.
	Masks []string
}

// A planner makes a Plan.
type planner struct {
	spec  Spec
	masks bool            // the backend can cover paths
	above map[string]bool // folders that hold a secret, existing or not
	plan  Plan
	seen  map[string]int // index of the grant for a path
}

// newPlan finds out what of the system a command of spec gets. masks says
// whether the backend can cover paths, closed lists what of /etc is not for
// everyone.
func newPlan(spec Spec, masks bool, closed func() []string) Plan {
	p := &planner{spec: spec, masks: masks, above: map[string]bool{}, seen: map[string]int{}}
	for _, s := range spec.Secrets {
		for dir := filepath.Dir(s); !p.above[dir]; dir = filepath.Dir(dir) {
			p.above[dir] = true
		}
	}
	p.system(closed)
	p.toolchains()
	for _, path := range spec.Read {
		p.grant(path, false, "a folder that may be read")
	}
	for _, path := range spec.Write {
		p.grant(path, true, "the workspace or a granted folder")
	}
	for _, dir := range []string{spec.Cache, spec.Tmp} {
		if dir != "" && os.MkdirAll(dir, 0o700) == nil {
			p.put(Grant{dir, true, "for caches and temporary files of commands"})
		}
	}
	for _, path := range spec.Keys {
		p.put(Grant{path, false, "keys that this command signs in with"})
	}
	for _, path := range spec.Sockets {
		p.put(Grant{path, true, "a socket that this command needs"})
	}
	slices.SortFunc(p.plan.Grants, func(a, b Grant) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(p.plan.Passages)
	return p.plan
}

// maxEntries bounds how many entries of one folder are granted one by one.
const maxEntries = 20_000

// grant grants a path, without what is hidden in it. A folder that holds a
// secret, or could, becomes a passage.
func (p *planner) grant(path string, write bool, why string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil || p.hidden(path):
		return
	case info.Mode()&fs.ModeSymlink != 0:
		p.link(path)
		return
	case !info.IsDir() || !p.above[path]:
		p.put(Grant{path, write, why})
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	if !slices.Contains(p.plan.Passages, path) {
		p.plan.Passages = append(p.plan.Passages, path)
	}
	for _, e := range entries[:min(len(entries), maxEntries)] {
		p.grant(filepath.Join(path, e.Name()), write, why)
	}
}

// put adds a grant. Of two for one path the wider counts.
func (p *planner) put(g Grant) {
	if at, ok := p.seen[g.Path]; ok {
		if g.Write && !p.plan.Grants[at].Write {
			p.plan.Grants[at] = g
		}
		return
	}
	if _, err := os.Lstat(g.Path); err != nil || !g.Write && p.writes(g.Path) {
		return
	}
	p.seen[g.Path] = len(p.plan.Grants)
	p.plan.Grants = append(p.plan.Grants, g)
}

// writes reports whether a path lies in a folder that may be changed.
func (p *planner) writes(path string) bool {
	return slices.ContainsFunc(p.spec.Write, func(root string) bool { return within(root, path) })
}

func (p *planner) link(path string) {
	if to, err := os.Readlink(path); err == nil {
		p.plan.Links = append(p.plan.Links, Link{path, to})
	}
}

func (p *planner) hidden(path string) bool { return p.spec.Hidden != nil && p.spec.Hidden(path) }

// Explain tells what a command may do with a path without links: the grant that
// it falls under, and whether there is one.
func (p *Plan) Explain(abs string) (g Grant, ok bool) {
	if slices.ContainsFunc(p.Masks, func(m string) bool { return within(m, abs) }) {
		return Grant{}, false
	}
	for _, one := range p.Grants {
		if within(one.Path, abs) {
			g, ok = one, true // the lowest, which is sorted last, decides
		}
	}
	return g, ok
}

// Writable lists the paths that may be changed.
func (p *Plan) Writable() []string {
	out := map[string]bool{}
	for _, g := range p.Grants {
		if g.Write {
			out[g.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// within reports whether abs is root or lies in it.
func within(root, abs string) bool {
	rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(root, "/"))
	return ok && (rest == "" || rest[0] == filepath.Separator)
}
