package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
)

// docsCmd writes the reference pages from the code. A test keeps the committed
// ones from drifting.
func (c *cli) docsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "docs FOLDER", Short: "Write the reference pages", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			pages, err := app.ReferencePages()
			if err != nil {
				return err
			}
			for name, text := range pages {
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(text), 0o644); err != nil {
					return fmt.Errorf("writing %s: %w", name, err)
				}
			}
			return nil
		},
	}
}
