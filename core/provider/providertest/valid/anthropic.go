package valid

import (
	"errors"
	"fmt"
)

// validAnthropic: the conversation begins and ends with the user, results stand
// first in the message right behind their calls, and no block is empty.
func validAnthropic(doc object) error {
	most, _ := doc["max_tokens"].(float64)
	err := doc.only("model", "max_tokens", "system", "messages", "tools", "tool_choice", "thinking", "output_config", "stream", "temperature", "top_p", "top_k",
		"stop_sequences", "metadata", "context_management")
	switch {
	case err != nil:
		return err
	case doc.text("model") == "":
		return errors.New("no model")
	case most < 1:
		return errors.New("max_tokens is missing")
	case len(doc.list("messages")) == 0:
		return errors.New("no messages")
	}
	if t := doc.object("thinking"); t.text("type") == "enabled" {
		if n, _ := t["budget_tokens"].(float64); n < 1024 || n >= most {
			return fmt.Errorf("a budget of %v to think, within %v", n, most)
		}
	}
	a := anthropicRules{ids: map[string]bool{}}
	if err := each(doc.list("messages"), a.message); err != nil {
		return fmt.Errorf("messages%w", err)
	}
	if a.last != "user" || len(a.open) > 0 {
		return fmt.Errorf("it ends with the %s and %d calls without results", a.last, len(a.open))
	}
	if err := each(doc.list("system"), a.mark); err != nil {
		return err
	}
	seen := map[string]bool{}
	if err := each(doc.list("tools"), func(i int, t object) error {
		if !t.has("input_schema") { // hosted
			return nil
		}
		return errors.Join(a.mark(i, t), validFunction(t.text("name"), t.object("input_schema"), seen))
	}); err != nil {
		return err
	}
	if a.marks > 4 {
		return fmt.Errorf("%d marks for the cache; four are the most", a.marks)
	}
	return nil
}

type anthropicRules struct {
	ids   map[string]bool // of all calls
	open  map[string]bool // of the message before, without results
	last  string
	marks int
}

func (a *anthropicRules) mark(_ int, o object) error {
	if o.has("cache_control") {
		a.marks++
	}
	return nil
}

func (a *anthropicRules) message(i int, m object) error {
	role := m.text("role")
	switch {
	case role != "user" && role != "assistant":
		return fmt.Errorf("no role is called %q", role)
	case i == 0 && role != "user":
		return errors.New("the first message is not the user's")
	case len(a.open) > 0 && role != "user":
		return errors.New("calls are not followed by their results")
	}
	a.last = role
	if s, ok := m["content"].(string); ok {
		if blank(s) || len(a.open) > 0 {
			return errors.New("an empty message, or one instead of results")
		}
		return nil
	}
	blocks := m.list("content")
	if len(blocks) == 0 {
		return errors.New("a message without content")
	}
	if role == "user" {
		return a.user(blocks)
	}
	a.open = map[string]bool{}
	if err := each(blocks, a.said); err != nil {
		return err
	}
	if kind := object(blocks[len(blocks)-1].(map[string]any)).text("type"); kind == "thinking" || kind == "redacted_thinking" {
		return errors.New("the last block is thinking")
	}
	return nil
}

// user checks a message of the user: the results of the calls before come first.
func (a *anthropicRules) user(blocks []any) error {
	other := false
	err := each(blocks, func(i int, b object) error {
		if err := a.mark(i, b); err != nil {
			return err
		}
		if b.text("type") != "tool_result" {
			other = true
			return anthropicBlock(b)
		}
		id := b.text("tool_use_id")
		if other || !a.open[id] {
			return fmt.Errorf("a result for %q out of place, or not called in the message before", id)
		}
		delete(a.open, id)
		if _, ok := b["content"].(string); ok {
			return nil
		}
		return each(b.list("content"), func(_ int, p object) error { return anthropicBlock(p) })
	})
	if err == nil && len(a.open) > 0 {
		err = fmt.Errorf("%d calls of the message before have no result", len(a.open))
	}
	return err
}

// said checks a block of the assistant.
func (a *anthropicRules) said(i int, b object) error {
	_ = a.mark(i, b)
	switch b.text("type") {
	case "text":
		return anthropicBlock(b)
	case "thinking":
		if b.text("signature") == "" {
			return errors.New("thinking without a signature")
		}
		return nil
	case "redacted_thinking":
		if b.text("data") == "" {
			return errors.New("redacted thinking without data")
		}
		return nil
	case "tool_use":
		id := b.text("id")
		switch {
		case !idRE.MatchString(id) || a.ids[id]:
			return fmt.Errorf("the id %q is none or taken", id)
		case !wordRE.MatchString(b.text("name")):
			return fmt.Errorf("a tool cannot be called %q", b.text("name"))
		case b.object("input") == nil:
			return errors.New("a call without an object of arguments")
		}
		a.ids[id], a.open[id] = true, true
		return nil
	}
	return fmt.Errorf("no block of the assistant has the type %q", b.text("type"))
}

func anthropicBlock(b object) error {
	switch b.text("type") {
	case "text":
		if blank(b.text("text")) {
			return errors.New("an empty text")
		}
		return nil
	case "image":
		s := b.object("source")
		return validPicture(s.text("media_type"), s.text("data"))
	}
	return fmt.Errorf("no block here has the type %q", b.text("type"))
}
