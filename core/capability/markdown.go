package capability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown writes the page of c: everything that is known of it. It is written
// when asked for and never kept, so it cannot be out of date.
func Markdown(w io.Writer, c *Capability) error {
	var b strings.Builder
	head(&b, c)
	b.WriteString("\n## Parameters\n\n")
	if err := parameters(&b, c.Parameters); err != nil {
		return fmt.Errorf("capability: the parameters of %s: %w", c.Name, err)
	}
	if err := exampleCalls(&b, c.Docs.Examples); err != nil {
		return fmt.Errorf("capability: an example of %s: %w", c.Name, err)
	}
	fails(&b, c.Docs.Fails)
	if len(c.Output) > 0 {
		var out bytes.Buffer
		if err := json.Indent(&out, c.Output, "", "  "); err != nil {
			return fmt.Errorf("capability: the output of %s: %w", c.Name, err)
		}
		fmt.Fprintf(&b, "\n## Structured result\n\n```json\n%s\n```\n", out.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func head(b *strings.Builder, c *Capability) {
	fmt.Fprintf(b, "# `%s`\n\n", c.Name)
	if c.Title != "" && c.Title != c.Name {
		fmt.Fprintf(b, "**%s.** ", c.Title)
	}
	fmt.Fprintf(b, "%s\n", c.Description)
	if c.Docs.When != "" {
		fmt.Fprintf(b, "\nWhen: %s.\n", strings.TrimSuffix(c.Docs.When, "."))
	}
	if c.Docs.Setup != "" {
		fmt.Fprintf(b, "\nSetup: %s.\n", strings.TrimSuffix(c.Docs.Setup, "."))
	}
	b.WriteString("\n")
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "- Also called: `%s`\n", strings.Join(c.Aliases, "`, `"))
	}
	fmt.Fprintf(b, "- Class: %s\n", c.Class)
	if c.Category != "" {
		fmt.Fprintf(b, "- Category: %s\n", c.Category)
	}
	if words := hintWords(c); len(words) > 0 {
		fmt.Fprintf(b, "- %s\n", upper(strings.Join(words, ", ")))
	}
}

// hintWords says what the hints say.
func hintWords(c *Capability) (words []string) {
	say := func(t Tri, yes, no string) {
		switch {
		case t == Yes && yes != "":
			words = append(words, yes)
		case t == No && no != "":
			words = append(words, no)
		}
	}
	h := c.Hints
	say(h.Destructive, "may lose something for good", "")
	say(h.Idempotent, "calling twice is calling once", "")
	say(h.OpenWorld, "reaches outside this machine", "stays on this machine")
	say(h.LongRunning, "may take long", "")
	if c.OwnerData {
		words = append(words, "for the owner only")
	}
	return words
}

// upper is s with a capital at the start.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// parameters writes the table of what a schema takes, nested ones below their
// parents.
func parameters(b *strings.Builder, schema json.RawMessage) error {
	rows, err := schemaRows(schema, "", 0)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		b.WriteString("None.\n")
		return nil
	}
	b.WriteString("| name | type | meaning |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", r.name, cell(r.kind), cell(r.meaning))
	}
	b.WriteString("\nA name with * is required.\n")
	return nil
}

// cell writes text so that it stays in its cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\r", "", "\n", " ").Replace(strings.TrimSpace(s))
}

func exampleCalls(b *strings.Builder, list []Example) error {
	if len(list) > 0 {
		b.WriteString("\n## Examples\n")
	}
	for _, ex := range list {
		raw, err := encodeAny(ex.In)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s:\n\n```json\n%s\n```\n", upper(ex.When), raw)
	}
	return nil
}

func fails(b *strings.Builder, list []*Failure) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Failures\n\n| code | when | what to do |\n|---|---|---|\n")
	for _, f := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Code, cell(f.When), cell(f.Try))
	}
}
