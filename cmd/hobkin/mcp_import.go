package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	known, err := knownServers(ctx, client)
	if err != nil {
		return err
	}
	plan := &importPlan{imports.Plan{Known: known, Looks: secret.Looks}}
	for _, p := range places {
		if err := plan.read(p, len(files) > 0); err != nil {
			return err
		}
	}
	plan.show(c.err)
	if len(plan.Entries) == 0 {
		c.note("There is nothing to add.")
		return nil
	}
	if err := c.agreeToImport(ctx, len(plan.Entries), yes); err != nil {
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
		for _, e := range plan.Entries {
			for name, value := range e.Secrets {
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
	for _, e := range plan.Entries {
		if err := client.AddServer(ctx, serverEntry(e)); err != nil {
			failed = append(failed, err)
			continue
		}
		c.note("Added " + e.Name + ".")
	}
	c.note("See how they are with: hobkin mcp list")
	return errors.Join(failed...)
}

// serverEntry is an entry of a plan as the core takes it.
func serverEntry(e imports.Entry) control.ServerEntry {
	return control.ServerEntry{Name: e.Name, Command: e.Command, Args: e.Args, Env: e.Env, PassEnv: e.PassEnv, URL: e.URL, Headers: e.Headers, Auth: e.Auth}
}

// An importPlan is what an import would do.
type importPlan struct{ imports.Plan }

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
		p.Notes = append(p.Notes, fmt.Sprintf("%s (%s) is left out: %v", place.Program, place.Path, err))
	}
	p.Take(place.Program, servers, notes)
	return nil
}

// show prints the plan, without any value that may be a secret.
func (p *importPlan) show(w io.Writer) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintln(w, clean(fmt.Sprintf(format, args...))) }
	for _, e := range p.Entries {
		what := e.URL
		if e.Command != "" {
			words := []string{e.Command}
			for _, a := range e.Args {
				if p.Looks(a) {
					a = secret.Hidden
				}
				words = append(words, a)
			}
			what = strings.Join(words, " ")
		}
		say("%s, of %s: %s", e.Name, filepath.Base(e.From), what)
		for _, k := range e.PassEnv {
			if _, ok := e.Secrets["mcp-"+e.Name+"-"+k]; ok {
				say("  %s goes among your secrets", k)
			}
		}
		if e.Auth != "" {
			say("  its token goes among your secrets")
		}
		for _, n := range e.Notes {
			say("  %s", n)
		}
	}
	for _, n := range p.Notes {
		say("%s", n)
	}
}
