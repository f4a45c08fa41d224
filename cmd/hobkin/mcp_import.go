package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/imports"
	"github.com/hobkin/hobkin/core/secret"
)

// mostImport is how long a settings file of another program may be, in bytes.
const mostImport = 32 << 20

func (c *cli) mcpImportCmd() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "import [FILE]", Short: "Add the tool servers that other programs are configured with", Args: cobra.MaximumNArgs(1),
		Long: `Add the tool servers that Claude Desktop, Claude Code, Cursor, Windsurf, VS Code
and Zed are configured with, or those of a file of theirs.

What would be added is shown first. Values that look like secrets are put among
your secrets, not into the settings, and never printed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.importServers(cmd.Context(), args, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (c *cli) importServers(ctx context.Context, files []string, yes bool) error {
	places, err := c.importPlaces(files)
	if err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	plan := &importPlan{looks: func(text string) bool { return (&secret.Redactor{}).Redact(text) != text }}
	if plan.known, err = knownServers(ctx, client); err != nil {
		return err
	}
	for _, p := range places {
		if err := plan.read(p, len(files) > 0); err != nil {
			return err
		}
	}
	plan.show(c.err)
	if len(plan.entries) == 0 {
		c.note("There is nothing to add.")
		return nil
	}
	if err := c.agreeToImport(ctx, len(plan.entries), yes); err != nil {
		return err
	}
	return c.carryOut(ctx, client, plan)
}

func (c *cli) importPlaces(files []string) ([]imports.Place, error) {
	if len(files) == 1 {
		return []imports.Place{{Program: files[0], Path: files[0]}}, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	dir, err := c.dir()
	return imports.Places(home, settings, dir), err
}

// knownServers are the names in the settings.
func knownServers(ctx context.Context, client *control.Client) (map[string]bool, error) {
	values, err := client.ConfigGet(ctx, "")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, v := range values {
		if rest, ok := strings.CutPrefix(v.Key, "mcp.servers."); ok {
			name, _, _ := strings.Cut(rest, ".")
			out[strings.Trim(name, `"`)] = true
		}
	}
	return out, nil
}

func (c *cli) agreeToImport(ctx context.Context, n int, yes bool) error {
	if yes {
		return nil
	}
	if !c.attended {
		return &exitError{code: exitDenied, err: errors.New("nothing was added: no one can be asked here; add them with --yes")}
	}
	_, _ = fmt.Fprintf(c.err, "Add %d? [y/N] ", n)
	line, ok := prompt(ctx, readLines(ctx, c.in))
	if answer := strings.ToLower(strings.TrimSpace(line)); !ok || answer != "y" && answer != "yes" {
		return &exitError{code: exitDenied, err: errors.New("nothing was added")}
	}
	return nil
}

// carryOut stores the secrets and adds the servers. One that is refused does
// not keep the others from being added.
func (c *cli) carryOut(ctx context.Context, client *control.Client, plan *importPlan) error {
	err := c.withSecrets(func(s *secret.Store) error {
		for _, e := range plan.entries {
			for name, value := range e.secrets {
				if err := s.Set(ctx, name, value); err != nil {
					return fmt.Errorf("storing %s: %w", name, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var failed []error
	for _, e := range plan.entries {
		if err := client.AddServer(ctx, e.ServerEntry); err != nil {
			failed = append(failed, err)
			continue
		}
		c.note("Added " + e.Name + ".")
	}
	c.note("See how they are with: hobkin mcp list")
	return errors.Join(failed...)
}

// An importPlan is what an import would do.
type importPlan struct {
	known   map[string]bool
	looks   func(string) bool
	entries []importEntry
	notes   []string
}

type importEntry struct {
	control.ServerEntry
	from    string
	secrets map[string]string // by name; their values are never shown
	notes   []string
}

// read takes in a file. One that is not there is no error, unless it was named.
func (p *importPlan) read(place imports.Place, named bool) error {
	f, err := os.Open(place.Path)
	if errors.Is(err, os.ErrNotExist) && !named {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostImport))
	if err != nil {
		return err
	}
	servers, notes, err := imports.Parse(text)
	switch {
	case errors.Is(err, imports.ErrNone) && !named:
		return nil
	case err != nil && named:
		return fmt.Errorf("%s: %w", place.Path, err)
	case err != nil:
		p.notes = append(p.notes, fmt.Sprintf("%s (%s) is left out: %v", place.Program, place.Path, err))
	}
	for _, n := range notes {
		p.notes = append(p.notes, place.Program+": "+n)
	}
	for _, s := range servers {
		p.take(place.Program, s)
	}
	return nil
}

// take adds a server to the plan, unless it is there already.
func (p *importPlan) take(from string, s imports.Server) {
	name := imports.Name(s.Name)
	if slices.ContainsFunc(p.entries, func(o importEntry) bool {
		return o.Command == s.Command && o.URL == s.URL && slices.Equal(o.Args, s.Args)
	}) {
		return // the same, from another program
	}
	switch {
	case name == "":
		p.notes = append(p.notes, fmt.Sprintf("%s: %q is left out: nothing of its name can stay", from, s.Name))
		return
	case s.Disabled:
		p.notes = append(p.notes, fmt.Sprintf("%s: %s is left out: it is switched off there", from, name))
		return
	case p.known[name]:
		p.notes = append(p.notes, fmt.Sprintf("%s: %s is left out: there is a server of that name", from, name))
		return
	}
	e := importEntry{from: from, secrets: map[string]string{}}
	e.ServerEntry = control.ServerEntry{Name: name, Command: s.Command, Args: s.Args, URL: s.URL, Env: map[string]string{}, Headers: map[string]string{}}
	p.known[name] = true
	p.values(&e, s)
	p.entries = append(p.entries, e)
}

// values parts what may stand in the settings from what may not.
func (p *importPlan) values(e *importEntry, s imports.Server) {
	for k, text := range s.Env {
		v, key := imports.Judge(k, text, p.looks), "mcp-"+e.Name+"-"+k
		switch {
		case v.Variable == k:
			e.PassEnv = append(e.PassEnv, k)
		case v.Variable != "" || v.Asked:
			e.PassEnv = append(e.PassEnv, k)
			e.notes = append(e.notes, fmt.Sprintf("store its %s with: hobkin secrets set %s", k, key))
		case v.Secret:
			e.PassEnv = append(e.PassEnv, k)
			e.secrets[key] = text
		default:
			e.Env[k] = text
		}
	}
	slices.Sort(e.PassEnv)
	for k, text := range s.Headers {
		v := imports.Judge(k, text, p.looks)
		token, bearer := strings.CutPrefix(text, "Bearer ")
		key := "mcp-" + e.Name + "-token"
		switch {
		case strings.EqualFold(k, "Authorization") && bearer:
			e.Auth = "keyring:" + key
			if strings.Contains(token, "${") {
				e.notes = append(e.notes, "store its token with: hobkin secrets set "+key)
				continue
			}
			e.secrets[key] = token
		case v.Secret || v.Variable != "":
			e.notes = append(e.notes, "its header "+k+" is left out: it holds a secret, which cannot be sent as a header of that name")
		default:
			e.Headers[k] = text
		}
	}
	for _, a := range e.Args {
		if p.looks(a) {
			e.notes = append(e.notes, "one of its arguments looks like a secret; it will stand in your settings, readable by you alone")
		}
	}
}

// show prints the plan, without any value that may be a secret.
func (p *importPlan) show(w io.Writer) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintln(w, clean(fmt.Sprintf(format, args...))) }
	for _, e := range p.entries {
		what := e.URL
		if e.Command != "" {
			words := []string{e.Command}
			for _, a := range e.Args {
				if p.looks(a) {
					a = secret.Hidden
				}
				words = append(words, a)
			}
			what = strings.Join(words, " ")
		}
		say("%s, of %s: %s", e.Name, filepath.Base(e.from), what)
		for _, k := range e.PassEnv {
			if _, ok := e.secrets["mcp-"+e.Name+"-"+k]; ok {
				say("  %s goes among your secrets", k)
			}
		}
		if e.Auth != "" {
			say("  its token goes among your secrets")
		}
		for _, n := range e.notes {
			say("  %s", n)
		}
	}
	for _, n := range p.notes {
		say("%s", n)
	}
}
