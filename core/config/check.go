package config

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hobkin/hobkin/core/netguard"
)

// check compares everything in a document with the fields of [Config].
func check(d *document) []Problem {
	var out []Problem
	var bad [][]string // paths that were reported: what is inside is not
	for _, e := range d.entries {
		if slices.ContainsFunc(bad, func(p []string) bool { return hasPrefix(e.path, p) }) {
			continue
		}
		s, at, known, ok := slotOf(e.path)
		if !ok {
			out = append(out, unknownKey(d, e, at, known))
			bad = append(bad, e.path[:at+1])
			continue
		}
		if p, ok := checkEntry(d, e, s); !ok {
			out = append(out, p)
			bad = append(bad, e.path)
		}
	}
	sortProblems(out)
	return out
}

func unknownKey(d *document, e entry, at int, known []string) Problem {
	name := joinKey(e.path[:at+1])
	if known == nil {
		return d.problemAt(e, "", "%s is a single value; nothing can stand inside it", joinKey(e.path[:at]))
	}
	near := nearest(e.path[at], known)
	if near == "" {
		near = elsewhere(e.path[at])
	} else {
		near = joinKey(append(slices.Clone(e.path[:at]), near))
	}
	p := d.problemAt(e, near, "unknown key %s", name)
	p.Key = name
	if near == "" {
		p.Message += "; known here: " + strings.Join(known, ", ")
	}
	return p
}

// elsewhere finds a key of just that name in another table.
func elsewhere(name string) string {
	for _, k := range Keys() {
		if k.Name == name || strings.HasSuffix(k.Name, "."+name) {
			return k.Name
		}
	}
	return ""
}

func checkEntry(d *document, e entry, s slot) (Problem, bool) {
	if !fits(e.kind, s.typ) {
		return d.problemAt(e, "", "%s must be %s, not %s", joinKey(e.path), wanted(s.typ), kindName(e.kind)), false
	}
	if s.typ.Kind() == reflect.Struct {
		return checkRequired(d, e, s.typ)
	}
	rules := []func(slot, string) (near, problem string){checkChoice, checkRange, checkDuration, checkPath, checkURL, checkMoney, checkRef, checkHosts}
	if s.typ.Kind() == reflect.Slice || s.typ.Kind() == reflect.Map {
		return Problem{}, true
	}
	for _, rule := range rules {
		if near, problem := rule(s, e.data); problem != "" {
			return d.problemAt(e, near, "%s %s", joinKey(e.path), problem), false
		}
	}
	return Problem{}, true
}

func fits(k unstable.Kind, t reflect.Type) bool {
	if t.Kind() == reflect.Pointer { // may be unsaid
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Int64: // durations are text
		return k == unstable.String
	case reflect.Bool:
		return k == unstable.Bool
	case reflect.Int:
		return k == unstable.Integer
	case reflect.Slice:
		return k == unstable.Array || k == unstable.ArrayTable && t.Elem().Kind() == reflect.Struct
	case reflect.Struct, reflect.Map:
		return k == unstable.Table || k == unstable.InlineTable || k == unstable.ArrayTable
	}
	return false
}

func wanted(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == durationType:
		return `a time span in quotes, such as "90s" or "2m"`
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return "a list of tables"
	case t.Kind() == reflect.Slice:
		return `a list, such as ["one", "two"]`
	}
	return map[reflect.Kind]string{
		reflect.String: "text in quotes", reflect.Bool: "true or false", reflect.Int: "a whole number",
		reflect.Struct: "a table", reflect.Map: "a table",
	}[t.Kind()]
}

// checkRequired looks for the fields of an element that must be given.
func checkRequired(d *document, e entry, t reflect.Type) (Problem, bool) {
	for f := range t.Fields() {
		if f.Tag.Get("required") == "" {
			continue
		}
		path := append(slices.Clone(e.path), f.Tag.Get("toml"))
		if got, ok := d.find(path); !ok || got.kind == unstable.String && got.data == "" {
			return d.problemAt(e, "", "%s needs %s", joinKey(e.path), f.Tag.Get("toml")), false
		}
	}
	return Problem{}, true
}

func checkChoice(s slot, value string) (near, problem string) {
	allowed := choices(s.tag)
	if allowed == nil || slices.Contains(allowed, value) {
		return "", ""
	}
	return nearest(value, allowed), "must be one of " + strings.TrimPrefix(strings.Join(allowed, ", "), ", ")
}

func checkRange(s slot, value string) (near, problem string) {
	if s.typ.Kind() != reflect.Int {
		return "", ""
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(value, "_", ""), 0, 64)
	if err != nil {
		return "", "is a number that is out of range"
	}
	least, hasLeast := bound(s.tag, "min")
	most, hasMost := bound(s.tag, "max")
	switch {
	case hasLeast && v < least:
		return "", fmt.Sprintf("must be at least %d", least)
	case hasMost && v > most:
		return "", fmt.Sprintf("must be at most %d", most)
	case v > 1<<40:
		return "", "is a number that is out of range"
	}
	return "", ""
}

func bound(tag reflect.StructTag, name string) (int64, bool) {
	v, err := strconv.ParseInt(tag.Get(name), 10, 64)
	return v, err == nil
}

func checkDuration(s slot, value string) (near, problem string) {
	if s.typ != durationType {
		return "", ""
	}
	if new(Duration).UnmarshalText([]byte(value)) != nil {
		return "", `must be a time span such as "90s" or "2m"`
	}
	return "", ""
}

// checkPath: a relative path would mean another folder whenever the program is
// started from another one.
func checkPath(s slot, value string) (near, problem string) {
	if s.tag.Get("path") == "" || s.typ.Kind() != reflect.String {
		return "", ""
	}
	switch {
	case value == "" && !s.listed:
		return "", ""
	case strings.ContainsRune(value, 0):
		return "", "is not a path"
	case !filepath.IsAbs(value) && value != "~" && !strings.HasPrefix(value, "~/"):
		return "", "must be an absolute path (or start with ~/): a relative one would depend on where Hobkin is started"
	}
	return "", ""
}

func checkURL(s slot, value string) (near, problem string) {
	if s.tag.Get("url") == "" || value == "" {
		return "", ""
	}
	u, err := url.Parse(value)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", "must be an address that starts with http:// or https://"
	case u.User != nil:
		return "", "must not hold a user name or password; use key or headers"
	}
	return "", ""
}

// checkHosts reads an entry as the guard of the network does.
func checkHosts(s slot, value string) (near, problem string) {
	if s.tag.Get("hosts") == "" || s.typ.Kind() != reflect.String {
		return "", ""
	}
	if _, err := netguard.ParseRules([]string{value}); err != nil {
		return "", "is wrong: " + err.Error()
	}
	return "", ""
}

// checkRef never repeats the value: it may be the secret itself.
func checkRef(s slot, value string) (near, problem string) {
	if s.tag.Get("ref") == "" || value == "" {
		return "", ""
	}
	kind, name, _ := strings.Cut(value, ":")
	switch {
	case (kind == "keyring" || kind == "env") && name != "", kind == "file" && filepath.IsAbs(name):
		return "", ""
	case kind == "file":
		return "", "must name a file by its absolute path: file:/PATH"
	}
	return "", "must say where the secret is, not what it is: keyring:NAME, env:NAME or file:/PATH. Store it with: hobkin secrets set NAME"
}

// checkWhole looks for what is wrong between settings, section by section.
func checkWhole(d *document, c *Config) []Problem {
	var out []Problem
	for _, section := range []func(*document, *Config) []Problem{checkVersion, checkModels, checkTools, checkSources, checkMCP, checkBudgets, checkPolicy, checkBrowser, checkComputerUse} {
		out = append(out, section(d, c)...)
	}
	out = append(out, checkGuardrails(d, c)...)
	sortProblems(out)
	return out
}

func checkVersion(d *document, c *Config) []Problem {
	if c.Version <= Version {
		return nil
	}
	e, _ := d.find([]string{"version"})
	return []Problem{d.problemAt(e, "", "this file is of version %d, made by a newer Hobkin; this one reads version %d", c.Version, Version)}
}

func checkModels(d *document, c *Config) (out []Problem) {
	known := slices.Concat(slices.Sorted(maps.Keys(c.Providers)), ProviderKinds(), []string{Offline})
	for _, role := range RoleNames() {
		e, ok := d.find([]string{"models", role, "provider"})
		if ok && e.data != "" && !slices.Contains(known, e.data) {
			near := nearest(e.data, known)
			out = append(out, d.problemAt(e, near, "no provider is named %s; add [providers.%s]", quote(e.data), quoteKey(e.data)))
		}
	}
	return out
}

func checkTools(d *document, c *Config) []Problem {
	e, ok := d.find([]string{"tools", "shell", "timeout"})
	if !ok || c.Tools.Shell.Timeout <= c.Tools.Shell.MaxTimeout {
		return nil
	}
	return []Problem{d.problemAt(e, "", "tools.shell.timeout is longer than tools.shell.max_timeout")}
}

func checkSources(d *document, c *Config) (out []Problem) {
	for name, src := range c.Sandbox.Env.Sources {
		if n := given(src); n != 1 {
			e, _ := d.find([]string{"sandbox", "env", "sources", name})
			out = append(out, d.problemAt(e, "", "sandbox.env.sources.%s needs exactly one of env, keyring, command", quoteKey(name)))
		}
	}
	return out
}

func given(s EnvSource) (n int) {
	for _, set := range []bool{s.Env != "", s.Keyring != "", len(s.Command) > 0} {
		if set {
			n++
		}
	}
	return n
}

// expand makes ~ in paths the home.
func expand(c *Config) error {
	if c.Agent.Workspace == "" {
		c.Agent.Workspace = defaultWorkspace()
	}
	home, err := os.UserHomeDir()
	paths := []*string{&c.Agent.Workspace, &c.Browser.Path}
	for _, list := range [][]string{c.Sandbox.AllowedRoots, c.Sandbox.BlockedRoots} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for i := range c.Permission.Rules {
		paths = append(paths, &c.Permission.Rules[i].Scope)
	}
	for _, p := range paths {
		switch rest, tilde := strings.CutPrefix(*p, "~"); {
		case *p == "":
		case tilde && err != nil:
			return fmt.Errorf("config: %s: %w", *p, err)
		case tilde:
			*p = filepath.Join(home, rest)
		default:
			*p = filepath.Clean(*p)
		}
	}
	return nil
}
