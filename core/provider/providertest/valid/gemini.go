package valid

import (
	"errors"
	"fmt"
)

// validGemini: roles take turns, each answer to calls has one response for each
// of them and nothing for others, and no part is empty.
func validGemini(doc object) error {
	err := doc.only("contents", "systemInstruction", "system_instruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent")
	switch {
	case err != nil:
		return err
	case len(doc.list("contents")) == 0:
		return errors.New("no contents")
	}
	g := geminiRules{}
	if err := each(doc.list("contents"), g.content); err != nil {
		return fmt.Errorf("contents%w", err)
	}
	if len(g.open) > 0 || g.last != "user" {
		return fmt.Errorf("it ends with the %s and %d calls without responses", g.last, len(g.open))
	}
	seen := map[string]bool{}
	return each(doc.list("tools"), func(_ int, t object) error {
		return each(t.list("functionDeclarations"), func(_ int, f object) error {
			schema := f.object("parameters")
			if schema != nil && schema.text("type") == "OBJECT" {
				schema = object{"type": "object"}
			}
			return validFunction(f.text("name"), schema, seen)
		})
	})
}

type geminiRules struct {
	open []string // names of the calls of the content before
	last string
}

func (g *geminiRules) content(i int, c object) error {
	role := c.text("role")
	parts := c.list("parts")
	switch {
	case role != "user" && role != "model":
		return fmt.Errorf("no role is called %q", role)
	case role == g.last:
		return fmt.Errorf("two contents of the %s in a row", role)
	case i == 0 && role != "user":
		return errors.New("the first content is not the user's")
	case len(parts) == 0:
		return errors.New("a content without parts")
	}
	g.last = role
	var called []string
	if err := each(parts, func(_ int, p object) error { return g.part(role, p, &called) }); err != nil {
		return err
	}
	if len(g.open) > 0 {
		return fmt.Errorf("no response for the calls of %v", g.open)
	}
	g.open = called
	return nil
}

func (g *geminiRules) part(role string, p object, called *[]string) error {
	switch {
	case p.has("text"):
		if p.text("text") == "" {
			return errors.New("an empty text")
		}
		return nil
	case p.has("inlineData"):
		d := p.object("inlineData")
		return validPicture(d.text("mimeType"), d.text("data"))
	case p.has("functionCall") && role == "model":
		f := p.object("functionCall")
		if !wordRE.MatchString(f.text("name")) || f.has("args") && f.object("args") == nil {
			return fmt.Errorf("a call of %q without a name or with arguments that are no object", f.text("name"))
		}
		*called = append(*called, f.text("name"))
		return nil
	case p.has("functionResponse") && role == "user":
		f := p.object("functionResponse")
		if len(g.open) == 0 || g.open[0] != f.text("name") || f.object("response") == nil {
			return fmt.Errorf("a response of %q, while those of %v are due", f.text("name"), g.open)
		}
		g.open = g.open[1:]
		return nil
	}
	return fmt.Errorf("a part of the %s with nothing known in it: %v", role, p)
}
