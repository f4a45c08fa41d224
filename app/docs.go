package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/provider/offline"
	"github.com/hobkin/hobkin/core/sandbox"
)

// ReferencePages renders the reference from the code: a file name and its text.
// A test compares them with what is committed.
func ReferencePages() (map[string]string, error) {
	tools, err := toolsPage()
	if err != nil {
		return nil, err
	}
	events, err := agent.EventSchema(false)
	if err != nil {
		return nil, err
	}
	return map[string]string{"tools.md": tools, "config.md": configPage(), "offline.md": offlinePage(), "events.schema.json": string(events) + "\n"}, nil
}

func toolsPage() (string, error) {
	policy, err := sandbox.New(sandbox.Config{Home: os.TempDir()}) // the tools are told about, not run
	if err != nil {
		return "", fmt.Errorf("app: %w", err)
	}
	c := &Core{policy: policy}
	c.cfg.Store(config.Default())
	var b strings.Builder
	b.WriteString("# Tools\n\nWritten from the code by `make docs`.\n")
	for _, t := range c.bind() {
		var page strings.Builder
		if err := capability.Markdown(&page, &t); err != nil {
			return "", fmt.Errorf("app: the page of %s: %w", t.Name, err)
		}
		b.WriteString("\n" + headingRE().ReplaceAllString(page.String(), "#$1"))
	}
	return b.String(), nil
}

// headingRE finds headings, which stand one level lower on the page of all tools.
var headingRE = lazy.Regexp(`(?m)^(#+ )`)

func configPage() string {
	return "# Settings\n\nThe settings are one file; `hobkin config path` tells where. Every setting is optional. " +
		"This is the file with every default, written from the code by `make docs`.\n\n```toml\n" +
		strings.ReplaceAll(strings.TrimSpace(string(config.DefaultFile())), config.Default().Agent.Workspace, "/home/you/Hobkin") + "\n```\n"
}

// firstLine is the first line of a text, without the space around it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// offlinePage is the table of examples that is also the offline helper's test.
func offlinePage() string {
	var b strings.Builder
	b.WriteString("# The offline helper\n\nWithout a model connected this helper answers. It is a grammar, not a language model. " +
		"These are its examples, which are also its test; written from the code by `make docs`.\n")
	group := ""
	for _, e := range offline.Examples() {
		if e.Group != group {
			group = e.Group
			fmt.Fprintf(&b, "\n## %s\n\n| say | what is called |\n|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | `%s` `%s` |\n", strings.ReplaceAll(e.Say, "|", "\\|"), e.Call, strings.ReplaceAll(e.Args, "|", "\\|"))
	}
	return b.String()
}
