package app

import (
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
)

// ReferencePages renders the reference from the code: a file name and its text.
// A test compares them with what is committed.
func ReferencePages() (map[string]string, error) {
	tools, err := toolsPage()
	if err != nil {
		return nil, err
	}
	return map[string]string{"tools.md": tools, "config.md": configPage()}, nil
}

func toolsPage() (string, error) {
	c := &Core{}
	c.cfg.Store(config.Default())
	var b strings.Builder
	b.WriteString("# Tools\n\nWritten from the code by `make docs`.\n")
	for _, t := range c.bind() {
		b.WriteString("\n")
		if err := capability.Markdown(&b, &t); err != nil {
			return "", fmt.Errorf("app: the page of %s: %w", t.Name, err)
		}
	}
	return b.String(), nil
}

func configPage() string {
	return "# Settings\n\nThe settings are one file; `hobkin config path` tells where. Every setting is optional. " +
		"This is the file with every default, written from the code by `make docs`.\n\n```toml\n" +
		strings.TrimSpace(string(config.DefaultFile())) + "\n```\n"
}

// firstLine is the first line of a text, without the space around it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
