package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) mcpAddCmd() *cobra.Command {
	var e control.ServerEntry
	var env, headers []string
	var untested bool
	cmd := &cobra.Command{
		Use:   "add NAME (--url URL | -- COMMAND [ARGUMENT…])",
		Short: "Add a tool server",
		Long: `Add a tool server: a program that is started, or an address.

It is tried first, just as it will be used, and added only when it works.
Secrets are named, never given: --pass-env for a program, --auth for an address.`,
		Example: "  hobkin mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/Documents\n  hobkin mcp add docs --url https://docs.example/mcp --auth keyring:docs",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e.Name = args[0]
			if len(args) > 1 {
				e.Command, e.Args = args[1], args[2:]
			}
			if e.Env, err = pairs("--env", env); err != nil {
				return usage(err)
			}
			if e.Headers, err = pairs("--header", headers); err != nil {
				return usage(err)
			}
			return c.addServer(cmd, e, untested)
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.URL, "url", "", "address of a server that runs already")
	f.StringVar(&e.Auth, "auth", "", "oauth, or where the bearer token is: keyring:NAME, env:NAME or file:/PATH")
	f.StringVar(&e.ClientID, "client-id", "", "with --auth oauth, the id of a client that you registered by hand")
	f.StringVar(&e.ClientSecret, "client-secret", "", "where the secret of that client is: keyring:NAME, env:NAME or file:/PATH")
	f.StringArrayVar(&headers, "header", nil, "a further header of requests, NAME=VALUE")
	f.StringArrayVar(&env, "env", nil, "a variable of the program's environment, NAME=VALUE")
	f.StringArrayVar(&e.PassEnv, "pass-env", nil, "a variable that the program gets from yours or from [sandbox.env.sources]")
	f.BoolVar(&e.Confine, "confine", false, "start the program inside the kernel's confinement")
	f.BoolVar(&untested, "no-test", false, "add it without trying it")
	return cmd
}

func (c *cli) addServer(cmd *cobra.Command, e control.ServerEntry, untested bool) error {
	client, err := c.connect(cmd.Context())
	if err != nil {
		return err
	}
	if !untested {
		s, err := client.TestServer(cmd.Context(), e)
		if err != nil {
			return err
		}
		switch s.State {
		case "ready":
		case "needs_login":
			return c.addAndLogin(cmd.Context(), client, e)
		default:
			return &control.Error{Code: "server_failed", Message: fmt.Sprintf("the server %s does not work: %s", e.Name, s.Reason), Try: "correct it, or add it all the same with --no-test"}
		}
		c.printTools(s)
	}
	if err := client.AddServer(cmd.Context(), e); err != nil {
		return err
	}
	c.note("Added " + e.Name + ". The agent can use its tools from its next turn on.")
	if e.Command != "" && !e.Confine {
		c.note("It runs as you do, outside the kernel's confinement: it can read and change all your files. --confine keeps it to your workspace and the granted folders.")
	}
	return nil
}

// addAndLogin adds a server that wants its user to sign in, who does so now where
// they are there.
func (c *cli) addAndLogin(ctx context.Context, client *control.Client, e control.ServerEntry) error {
	if err := client.AddServer(ctx, e); err != nil {
		return err
	}
	c.note("Added " + e.Name + ".")
	if !c.attended {
		c.note("It wants you to sign in. Do that with: hobkin mcp login " + e.Name)
		return nil
	}
	return c.login(ctx, e.Name, true)
}

// pairs reads NAME=VALUE words.
func pairs(flag string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%s %q is not NAME=VALUE", flag, w)
		}
		out[name] = value
	}
	return out, nil
}

func (c *cli) mcpListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [NAME]", Short: "List the tool servers, or all about one", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := client.Servers(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if list = slices.DeleteFunc(list, func(s control.Server) bool { return s.Name != args[0] }); len(list) == 0 {
					return &control.Error{Code: "no_server", Message: fmt.Sprintf("there is no tool server %q", args[0]), Try: "list them with: hobkin mcp list"}
				}
			}
			switch {
			case asJSON:
				return c.printJSON(list)
			case len(args) == 1:
				return c.printServer(list[0])
			}
			return c.printServers(list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *cli) printServers(list []control.Server) error {
	if len(list) == 0 {
		c.note("There are no tool servers. Add one with: hobkin mcp add")
		return nil
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		what := fmt.Sprintf("%d tools", len(s.Tools))
		if s.Reason != "" {
			what = firstLine(s.Reason)
		}
		if len(s.Held) > 0 {
			what += fmt.Sprintf(", %d held back", len(s.Held))
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.State, what, s.Shown); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (c *cli) printServer(s control.Server) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s", s.Name, s.State)
	if s.About != "" {
		fmt.Fprintf(&b, ": %s, protocol %s", s.About, s.Protocol)
	}
	fmt.Fprintf(&b, "\n%s\n", s.Shown)
	if s.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Reason)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "\nLeft out: %s\n", n)
	}
	if _, err := fmt.Fprint(c.out, b.String()); err != nil {
		return err
	}
	c.printTools(s)
	for _, h := range s.Held {
		if _, err := fmt.Fprintf(c.out, "\nHeld back, because its definition has changed: %s\n%s", h.Tool, h.Diff); err != nil {
			return err
		}
	}
	if len(s.Held) > 0 {
		c.note("Offer the changed tools with: hobkin mcp accept " + s.Name)
	}
	return nil
}

func (c *cli) printTools(s control.Server) {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, t := range s.Tools {
		name := t.Offered
		if name == "" {
			name = t.Name
		}
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", name, firstLine(t.Description)) // Flush tells
	}
	_ = w.Flush() // what cannot be printed cannot be said either
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(clean(text)), "\n")
	if r := []rune(line); len(r) > 100 {
		line = string(r[:99]) + "…"
	}
	return line
}

func (c *cli) mcpTestCmd() *cobra.Command {
	return &cobra.Command{
		Use: "test NAME", Short: "Try a tool server just as it is used", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			s, err := client.TestServer(cmd.Context(), control.ServerEntry{Name: args[0]})
			if err != nil {
				return err
			}
			if err := c.printServer(s); err != nil {
				return err
			}
			if s.State != "ready" {
				return &exitError{code: exitFailed, err: errors.New("the server does not work"), said: true}
			}
			return nil
		},
	}
}

// mcpOneCmd is a command that does one thing to one server.
func (c *cli) mcpOneCmd(use, short, said string, do func(*control.Client, *cobra.Command, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			if err := do(client, cmd, args[0]); err != nil {
				return err
			}
			if said != "" {
				c.note(fmt.Sprintf(said, args[0]))
			}
			return nil
		},
	}
}
