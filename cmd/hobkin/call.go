package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) callCmd() *cobra.Command {
	var raw, mode string
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "call TOOL [KEY=VALUE… | JSON]",
		Short: "Run one tool yourself, without a model",
		Long: `Run one tool yourself, without a model.

A value is read as the tool's parameter declares it: call file_read path=a.txt limit=5.
All arguments can also be given as one JSON object, by itself or with --json.
--yes agrees once, to this very call; denials and the floor still hold.`,
		Example: "  hobkin call content_search pattern=TODO path=core\n  hobkin call shell --yes --json '{\"command\":\"make\"}'\n  hobkin call browser '{\"action\":\"open\",\"url\":\"https://example.org\",\"snapshot\":true}'",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := callArgs(args[1:], raw)
			if err != nil {
				return usage(err)
			}
			dir, err := c.dir()
			if err != nil {
				return err
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			res, err := client.Call(cmd.Context(), control.CallRequest{Tool: args[0], Args: arguments, Workspace: dir, Mode: mode, Yes: yes})
			if err != nil {
				return err
			}
			return c.printCall(res, asJSON)
		},
	}
	cmd.Flags().StringVar(&raw, "json", "", "the arguments as one JSON object")
	cmd.Flags().StringVarP(&mode, "mode", "m", "", "permission mode: plan, ask, accept_edits or auto")
	cmd.Flags().BoolVar(&yes, "yes", false, "agree once to this very call")
	cmd.Flags().BoolVar(&asJSON, "output-json", false, "print the result as JSON")
	return cmd
}

// callArgs makes one JSON object of key=value words or of --json. Values stay
// strings here: the core makes them into what the tool's schema declares.
func callArgs(words []string, raw string) (json.RawMessage, error) {
	if len(words) == 1 && raw == "" && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		words, raw = nil, words[0]
	}
	if raw != "" {
		if len(words) > 0 {
			return nil, errors.New("give the arguments as KEY=VALUE or with --json, not both")
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(raw), &object); err != nil {
			return nil, errors.New("the arguments are not a JSON object such as {\"path\": \"a.txt\"}")
		}
		return json.RawMessage(raw), nil
	}
	object := map[string]string{}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not KEY=VALUE", w)
		}
		if _, dup := object[key]; dup {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		object[key] = value
	}
	return json.Marshal(object)
}

func (c *cli) printCall(res control.CallResult, asJSON bool) error {
	if asJSON {
		return c.printJSON(res)
	}
	if !res.Failed {
		_, err := fmt.Fprintln(c.out, strings.TrimRight(res.Text, "\n"))
		if res.SavedAs != "" {
			c.note("whole output: " + res.SavedAs)
		}
		return err
	}
	try := res.Try // it is meant for a model; a person has other ways
	switch res.Code {
	case "denied":
		try = "agree to this very call with --yes, or choose a mode with --mode"
	case "bad_input":
		try = "see its arguments with: hobkin tools show " + res.Tool
	}
	return &exitError{code: codeOf(res.Code), err: &control.Error{Code: res.Code, Message: res.Message, Try: try}}
}

func (c *cli) printJSON(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// desktopCmd starts the desktop program that stands beside this one.
func (c *cli) desktopCmd() *cobra.Command {
	return &cobra.Command{
		Use: "desktop", Short: "Start the desktop, or show its window", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.startDesktop(cmd.Context(), os.Args[0]) },
	}
}
