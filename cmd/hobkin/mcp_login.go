package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) mcpLoginCmd() *cobra.Command {
	var unopened bool
	cmd := &cobra.Command{
		Use: "login NAME", Short: "Sign in to a tool server with your browser", Args: cobra.ExactArgs(1),
		Long: `Sign in to a tool server whose settings say auth = "oauth".

The page to sign in at is opened in your browser, and printed. What you grant is
kept among your secrets; hobkin mcp logout forgets it.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.login(cmd.Context(), args[0], !unopened) },
	}
	cmd.Flags().BoolVar(&unopened, "no-browser", false, "only print the page")
	return cmd
}

func (c *cli) login(ctx context.Context, name string, browser bool) error {
	c.unlock = c.passphrase
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	begun, err := client.LoginServer(ctx, name)
	if err != nil {
		return err
	}
	if begun.Page != "" {
		c.note("Sign in to " + name + " at this page, on this machine:\n\n  " + begun.Page + "\n")
		if browser && c.attended {
			openPage(ctx, begun.Page)
		}
	}
	s, err := client.AwaitLogin(ctx, name)
	if err != nil {
		return err
	}
	if s.State != "ready" {
		return &control.Error{Code: "login_failed", Message: fmt.Sprintf("signing in to %s: %s", name, s.Reason), Try: "begin again with: hobkin mcp login " + name}
	}
	c.note(fmt.Sprintf("Signed in. %s offers %d tools.", name, len(s.Tools)))
	return nil
}

// openTime is how long a program that opens pages may take to hand one over.
const openTime = 5 * time.Second

// openPage opens a page in the browser, where there is one. That it was also
// printed is enough where there is none.
func openPage(ctx context.Context, page string) {
	program := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		program = []string{"open"}
	case "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	_ = exec.CommandContext(ctx, program[0], append(program[1:], page)...).Run() // the page is https, or on this machine
}

func (c *cli) mcpPromptCmd() *cobra.Command {
	return &cobra.Command{
		Use: "prompt [SERVER NAME [ARGUMENT=VALUE…]]", Short: "List the prompts of tool servers, or print one filled in",
		Example: "  hobkin mcp prompt\n  hobkin mcp prompt docs summarise topic=tides",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return usage(fmt.Errorf("name the prompt of %s, too; list them with: hobkin mcp prompt", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return c.listPrompts(cmd.Context(), client)
			}
			values, err := pairs("argument", args[2:])
			if err != nil {
				return usage(err)
			}
			got, err := client.ServerPrompt(cmd.Context(), control.PromptRequest{Server: args[0], Name: args[1], Arguments: values})
			if err != nil {
				return err
			}
			for _, m := range got {
				if _, err := fmt.Fprintf(c.out, "%s: %s\n", clean(m.Role), clean(m.Text)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (c *cli) listPrompts(ctx context.Context, client *control.Client) error {
	list, err := client.ServerPrompts(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.note("No connected tool server offers prompts.")
		return nil
	}
	rows := make([][]string, len(list))
	for i, p := range list {
		var blanks []string
		for _, a := range p.Arguments {
			blank := a.Name + "=…"
			if !a.Required {
				blank = "[" + blank + "]"
			}
			blanks = append(blanks, blank)
		}
		rows[i] = []string{p.Server, p.Name, strings.Join(blanks, " "), clean(firstLine(p.Description))}
	}
	return c.table(rows)
}
