package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hobkin/hobkin/core/capability"
)

// A Mode says how far the tools may reach.
type Mode string

// The modes. Protected and blocked paths are refused in all of them.
const (
	Strict   Mode = "strict"   // workspace and grants
	Standard Mode = "standard" // and the skills folder, and the folder an attended request was made in
	Open     Mode = "open"     // the whole home
)

// Config is what a Policy is made from. Paths are absolute or start with ~.
type Config struct {
	Mode         Mode     // empty means Standard
	Home         string   // empty means the user's home
	Workspace    string   // the default workspace, always a root; may not exist yet
	AllowedRoots []string // folders (or single files) that the owner has granted
	BlockedRoots []string // folders that are refused even inside a root
	Own          []string // this app's files and folders, always protected
	Skills       string   // skills folder, a root in Standard and Open; may lie inside Own
	Shared       []string // folders inside Own that may be read all the same: saved outputs, media
	Log          string   // file that keeps the refusals of the last week; empty keeps them in memory

	// Redact hides secrets in what the log of refusals keeps; nil hides none.
	Redact func(string) string
}

// A Policy decides about paths. It is safe for concurrent use.
type Policy struct {
	rules    atomic.Pointer[rules]
	refusals *refusals
}

// New makes a Policy. It fails when a root of cfg is one that must never be
// granted, such as / or the home.
func New(cfg Config) (*Policy, error) {
	r, err := compile(cfg)
	if err != nil {
		return nil, err
	}
	p := &Policy{refusals: openRefusals(r.cfg.Log, cfg.Redact)}
	p.rules.Store(r)
	return p, nil
}

// Update replaces the configuration at once, or not at all when it is wrong.
// Config.Log is not looked at again.
func (p *Policy) Update(cfg Config) error {
	r, err := compile(cfg)
	if err != nil {
		return err
	}
	p.rules.Store(r)
	return nil
}

// Use says what a path is wanted for.
type Use int

// The uses.
const (
	Read Use = iota
	Write
)

// String is the use as a word.
func (u Use) String() string {
	if u == Write {
		return "write"
	}
	return "read"
}

// Judge decides about a path without opening it. The path may be absolute,
// relative to the turn's workspace, or start with ~. The answer is the absolute
// path that it leads to, with every link resolved; it need not exist.
func (p *Policy) Judge(turn capability.Turn, path string, use Use) (abs string, err error) {
	t, err := p.judge(turn, path, use)
	return t.abs, err
}

func (p *Policy) judge(turn capability.Turn, path string, use Use) (target, error) {
	r := p.rules.Load()
	t, err := r.judge(turn, path, use)
	if err == nil {
		return t, nil
	}
	if u, ok := capability.AsUserError(err); ok && refusal(err) {
		p.refusals.add(u, use)
	}
	return target{}, err
}

// refusal tells a refused path from a misspelt one.
func refusal(err error) bool {
	return errors.Is(err, ProtectedPath) || errors.Is(err, BlockedRoot) || errors.Is(err, OutsideRoot) || errors.Is(err, TooManySymlinks)
}

// Hidden reports whether abs, an absolute path without links, is protected or
// blocked: walks leave it out. It looks at the text alone.
func (p *Policy) Hidden(abs string) bool {
	r := p.rules.Load()
	return r.protects(abs) || under(r.blocked, abs) != ""
}

// Roots lists the folders that the turn may write to, resolved, none inside
// another.
func (p *Policy) Roots(turn capability.Turn) []string {
	return outermost(p.rules.Load().roots(turn, Write))
}

// Refusals lists what was refused in the last week, the latest first.
func (p *Policy) Refusals() []Refusal { return p.refusals.list() }

// rules is a Config made ready: all paths are absolute and resolved.
type rules struct {
	cfg       Config
	home      string
	workspace string // empty when none is configured
	skills    string
	shared    []string
	granted   []string
	blocked   []string
	secrets   tree     // credentials below the home
	keys      []string // of secrets and own, sorted
	system    tree     // folders of the operating system
	own       tree     // this app's
}

func compile(cfg Config) (*rules, error) {
	if cfg.Mode == "" {
		cfg.Mode = Standard
	}
	if !slices.Contains([]Mode{Strict, Standard, Open}, cfg.Mode) {
		return nil, fmt.Errorf("sandbox: unknown mode %q; use strict, standard or open", cfg.Mode)
	}
	if cfg.Home == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		cfg.Home = home
	}
	r := &rules{cfg: cfg}
	var err error
	if r.home, err = r.real(cfg.Home); err != nil {
		return nil, fmt.Errorf("sandbox: home %s: %w", cfg.Home, err)
	}
	if err := r.protect(); err != nil {
		return nil, err
	}
	if r.blocked, err = r.reals(cfg.BlockedRoots); err != nil {
		return nil, err
	}
	r.keys = r.secretPaths()
	return r, r.setRoots()
}

// setRoots resolves the roots and refuses those that must never be one.
func (r *rules) setRoots() error {
	for _, one := range []struct {
		from string
		to   *string
	}{{r.cfg.Workspace, &r.workspace}, {r.cfg.Skills, &r.skills}} {
		if one.from == "" {
			continue
		}
		abs, err := r.real(one.from)
		if err != nil {
			return fmt.Errorf("sandbox: %s: %w", one.from, err)
		}
		*one.to = abs
	}
	var err error
	if r.shared, err = r.reals(r.cfg.Shared); err != nil {
		return err
	}
	for _, root := range []string{r.workspace, r.skills} {
		if root == "" {
			continue
		}
		if err := r.checkRoot(root); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	for _, path := range r.cfg.AllowedRoots {
		abs, err := r.checkGrant(path)
		if err != nil {
			return fmt.Errorf("sandbox: allowed_roots: %w", err)
		}
		r.granted = append(r.granted, abs)
	}
	return nil
}

// real resolves one configured path. What does not exist yet is kept below its
// resolved parent.
func (r *rules) real(path string) (string, error) {
	abs, err := r.absolute(path, r.cfg.Home)
	if err != nil {
		return "", err
	}
	t, err := resolve(abs, nil)
	return t.abs, err
}

func (r *rules) reals(paths []string) ([]string, error) {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		abs, err := r.real(p)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %s: %w", p, err)
		}
		out = append(out, abs)
	}
	return out, nil
}

func (r *rules) judge(turn capability.Turn, path string, use Use) (target, error) {
	abs, err := r.absolute(path, turn.Workspace)
	if err != nil {
		return target{}, err
	}
	t, err := r.follow(abs)
	if err == nil && !r.protects(t.abs) && under(r.blocked, t.abs) == "" {
		if t.root = r.root(turn, use, t.abs); t.root != "" {
			return t, nil
		}
	}
	roots := r.roots(turn, use)
	switch {
	case err != nil && t.abs != "" && r.outside(t.abs, roots):
		return target{}, r.refuseOutside(t, turn, roots) // do not tell what exists out there
	case err != nil:
		return target{}, err
	case r.protects(t.abs):
		return target{}, r.refuseProtected(t.abs)
	case under(r.blocked, t.abs) != "":
		return target{}, BlockedRoot.Becausef("%s lies in %s, which the owner has blocked", t.abs, under(r.blocked, t.abs)).With("path", t.abs)
	}
	return target{}, r.refuseOutside(t, turn, roots)
}

// follow resolves a path and stops before the first place on the way that is
// protected.
func (r *rules) follow(abs string) (target, error) {
	if t, ok := short(abs); ok && r.system.holds(abs) == "" && r.secrets.holds(abs) == "" && r.own.holds(abs) == "" {
		return t, nil // no part of it is in any tree, so no place on the way is
	}
	return resolve(abs, func(at string) error {
		if r.protects(at) && !r.leadsToOpen(at) {
			return r.refuseProtected(at)
		}
		return nil
	})
}

// outside reports whether a path that could not be resolved to its end had
// already left the roots.
func (r *rules) outside(abs string, roots []string) bool {
	return under(roots, abs) == "" && !slices.ContainsFunc(roots, func(root string) bool { return within(abs, root) })
}

// within reports whether abs is root or lies in it. Where the file system may
// ignore case, a different spelling counts when both name the same file.
func within(root, abs string) bool {
	if prefixed(root, abs) {
		return true
	}
	if !foldsCase || !prefixed(fold(root), fold(abs)) {
		return false
	}
	a, errA := os.Lstat(root)
	b, errB := os.Lstat(cutTo(abs, root))
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// prefixed reports whether abs is root or continues it at a separator.
func prefixed(root, abs string) bool {
	if !strings.HasPrefix(abs, root) {
		return false
	}
	return len(abs) == len(root) || root[len(root)-1] == filepath.Separator || abs[len(root)] == filepath.Separator
}

// cutTo shortens abs to as many components as root has.
func cutTo(abs, root string) string {
	const sep = string(filepath.Separator)
	n := strings.Count(strings.TrimSuffix(root, sep), sep)
	parts := strings.Split(abs, sep)
	if len(parts) <= n+1 {
		return abs
	}
	return strings.Join(parts[:n+1], sep)
}

// under returns the root that abs lies in, or "".
func under(roots []string, abs string) string {
	for _, root := range roots {
		if within(root, abs) {
			return root
		}
	}
	return ""
}

// outermost drops roots that lie inside another, keeping the order.
func outermost(roots []string) []string {
	var out []string
	for i, root := range roots {
		inside := func(j int, other string) bool {
			return j != i && within(other, root) && (other != root || j < i)
		}
		keep := true
		for j, other := range roots {
			keep = keep && !inside(j, other)
		}
		if keep {
			out = append(out, root)
		}
	}
	return out
}
