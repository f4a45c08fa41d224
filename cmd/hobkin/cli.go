package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	attended bool // a person sits before in and err
	colour   bool // out is a terminal that shows colours
}

func standard() streams {
	return streams{
		in: os.Stdin, out: onScreen(os.Stdout), err: onScreen(os.Stderr),
		attended: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		colour:   term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// A cli is one run of the program.
type cli struct {
	streams
	workspace string
	verbose   bool

	client      *control.Client // opened when first needed
	interrupted func() bool     // a signal stopped the command

	unlock   secret.Passphrase // set by commands that talk to a model
	redactor *secret.Redactor

	conversation string // of a chat: where tokens for questions are good
}

// silent is a level that no message has: what concerns a person is said in a
// sentence, the rest is for --verbose.
const silent = slog.LevelError + 1

// connect returns the client of the running desktop, or of a core of our own.
func (c *cli) connect(ctx context.Context) (*control.Client, error) {
	if c.client != nil {
		return c.client, nil
	}
	dir, err := c.dir()
	if err != nil {
		return nil, err
	}
	client, err := app.Connect(ctx, app.ConnectOptions{Workspace: dir, Tell: c.note, LogTo: c.err, LogLevel: c.level(), Passphrase: c.unlock, Redactor: c.redactor})
	c.client = client
	return client, err
}

// level is the least serious message that is logged.
func (c *cli) level() slog.Level {
	if c.verbose {
		return slog.LevelDebug
	}
	return silent
}

func (c *cli) close() error {
	if c.client == nil {
		return nil
	}
	return c.client.Close()
}

// dir is the folder to work in, absolute.
func (c *cli) dir() (string, error) {
	if c.workspace == "" {
		return os.Getwd()
	}
	dir, err := filepath.Abs(c.workspace)
	if err != nil {
		return "", err
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", usage(fmt.Errorf("--workspace %s is not a folder", c.workspace))
	}
	return dir, nil
}

// codeOf maps the code of a core's error to an exit code.
func codeOf(code string) int {
	switch {
	case strings.HasPrefix(code, "provider_"):
		return exitProvider
	case slices.Contains([]string{"denied", "floor", "not_allowed", "protected_path", "outside_root", "blocked_root"}, code):
		return exitDenied
	case code == "bad_mode" || code == "bad_model" || code == "bad_workspace":
		return exitUsage
	case code == "cancelled":
		return exitCancelled
	}
	return exitFailed
}

// harmless are the commands that the agent's own processes may give: they tell
// about the program. All others act as the owner, who has a terminal for that.
var harmless = []string{
	"hobkin", "hobkin version", "hobkin help", "hobkin doctor", "hobkin docs", "hobkin completion", "hobkin tools", "hobkin config path", "hobkin config check",
}

// refuseAgents stops a command that only a person may give when one of the
// agent's own tools started it: it would run with the owner's trust, and in a
// mode of its own choice.
func refuseAgents(cmd *cobra.Command) error {
	path := cmd.CommandPath()
	for _, h := range harmless {
		if path == h || h != "hobkin" && strings.HasPrefix(path, h+" ") {
			return nil
		}
	}
	ours, err := app.StartedByAgent()
	if err != nil {
		return fmt.Errorf("who started this program cannot be told: %w", err)
	}
	if ours {
		return &exitError{code: exitDenied, err: errors.New("the agent's own commands may not use " + path + "; only you can, in a terminal of your own")}
	}
	return nil
}

// table writes rows in columns.
func (c *cli) table(rows [][]string) error {
	w := tabwriter.NewWriter(c.out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// paint colours text where colours are shown.
func (c *cli) paint(code, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The colours, as ANSI codes.
const (
	dim    = "2"
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)
