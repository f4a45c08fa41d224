package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/search"
)

// A ground is where a search goes on: a folder, or a single file.
type ground struct {
	*spot
	root *os.Root // the folder, or that of the file
	file string   // name of the single file; empty for a folder
	turn capability.Turn
}

// ground opens a folder or file to be searched; empty is the workspace.
func (h *Host) ground(turn capability.Turn, path string) (*ground, error) {
	if path == "" {
		path = "."
	}
	s, err := h.look(turn, path, sandbox.Read)
	if err != nil {
		return nil, err
	}
	g := &ground{spot: s, root: s.Root, turn: turn}
	switch {
	case s.info == nil:
		err = h.missing(s)
	case !s.info.IsDir():
		g.file = s.Name
		err = regular(s.Abs, s.info)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return g, nil
}

func (g *ground) close() { _ = g.Close() } // a read handle

func (g *ground) walker(h *Host, all bool) *search.Walker {
	w := &search.Walker{Root: g.root, Abs: g.Abs, Hidden: h.Paths.Hidden, All: all}
	if !all {
		w.Global = h.personalRules()
		w.Above = h.rulesAbove(g, w.Global)
	}
	return w
}

// rulesAbove reads the ignore files of the folders above, up to the workspace
// or the top of the repository, the outermost first.
func (h *Host) rulesAbove(g *ground, personal *search.Rules) (out []search.Above) {
	ws, err := filepath.EvalSymlinks(g.turn.Workspace)
	if err != nil {
		return nil
	}
	if _, err := g.root.Lstat(".git"); err == nil {
		return nil // the folder itself is the top
	}
	for dir, top := g.Abs, false; dir != ws && !top; {
		dir = filepath.Dir(dir)
		down, err := filepath.Rel(dir, g.Abs)
		if rel, relErr := filepath.Rel(ws, dir); err != nil || relErr != nil || !filepath.IsLocal(rel) {
			break
		}
		var own []*search.Rules
		if own, top, err = h.rulesOf(g.turn, dir); err != nil {
			break
		}
		for _, rules := range own {
			out = append(out, search.Above{Rules: rules, Down: filepath.ToSlash(down)})
		}
		if top && personal != nil {
			out = append(out, search.Above{Rules: personal, Down: filepath.ToSlash(down)})
		}
	}
	slices.Reverse(out)
	return out
}

// personalRules are those of the person's own ignore file. The path comes from
// their settings of git, not from a model; it is read each time, so that a
// change counts at once.
func (h *Host) personalRules() *search.Rules {
	if h.Ignore == "" {
		return nil
	}
	const most = 1 << 20
	f, err := os.OpenFile(h.Ignore, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil // most people have none
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return search.ParseRules(data)
}

// rulesOf reads the ignore files of one folder, the stronger first. top reports
// whether a repository starts there.
func (h *Host) rulesOf(turn capability.Turn, dir string) (out []*search.Rules, top bool, err error) {
	place, err := h.Paths.Place(turn, dir, sandbox.Read)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = place.Close() }() // a read handle
	for _, name := range []string{".ignore", ".gitignore", filepath.Join(".git", "info", "exclude")} {
		f, err := place.OpenFile(name, os.O_RDONLY|nonblock, 0)
		if err != nil {
			continue // most folders have none
		}
		const most = 1 << 20
		data, err := io.ReadAll(io.LimitReader(f, most))
		if err = errors.Join(err, f.Close()); err == nil {
			out = append(out, search.ParseRules(data))
		}
	}
	_, gitErr := place.Root.Lstat(".git")
	return out, gitErr == nil, nil
}

// commaList splits patterns at commas outside of braces.
func commaList(s string) (out []string) {
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	out = append(out, s[from:])
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}
