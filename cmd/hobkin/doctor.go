package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func (c *cli) doctorCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Try every part and say what is wrong", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			checks, err := client.Doctor(cmd.Context())
			if err != nil {
				return err
			}
			failed := false
			rows := make([][]string, len(checks))
			for i, k := range checks {
				failed = failed || k.Status == "failed"
				rows[i] = []string{marks[k.Status], k.Name, k.Detail}
				if k.Fix != "" {
					rows[i][2] += " → " + k.Fix
				}
			}
			if asJSON {
				err = c.printJSON(checks)
			} else {
				err = c.table(rows)
			}
			if err == nil && failed {
				return &exitError{code: exitFailed, err: errors.New("a check failed"), said: true}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

var marks = map[string]string{"passed": "ok", "warning": "warning", "failed": "FAILED", "not_applicable": "-"}
