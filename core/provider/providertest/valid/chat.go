package valid

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// validChat: roles, what each may hold, and that each call is answered by
// exactly one message of the tool right behind it.
func validChat(doc object) error {
	err := doc.only("model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort",
		"prompt_cache_key", "temperature", "top_p", "user", "store", "parallel_tool_calls", "response_format", "reasoning", "usage")
	switch {
	case err != nil:
		return err
	case doc.text("model") == "":
		return errors.New("no model")
	case len(doc.list("messages")) == 0:
		return errors.New("no messages")
	}
	c := chatRules{}
	if err := each(doc.list("messages"), c.message); err != nil {
		return fmt.Errorf("messages%w", err)
	}
	if len(c.open) > 0 {
		return fmt.Errorf("the calls %v have no results", slices.Sorted(maps.Keys(c.open)))
	}
	if c.last == "assistant" || c.last == "system" {
		return fmt.Errorf("the last message is the %s's", c.last)
	}
	seen := map[string]bool{}
	return each(doc.list("tools"), func(_ int, t object) error {
		if t.text("type") != "function" {
			return fmt.Errorf("a tool of the type %q", t.text("type"))
		}
		f := t.object("function")
		return validFunction(f.text("name"), f.object("parameters"), seen)
	})
}

type chatRules struct {
	open map[string]bool // ids of calls without a result
	last string
}

func (c *chatRules) message(_ int, m object) error {
	role := m.text("role")
	if len(c.open) > 0 && role != "tool" {
		return fmt.Errorf("calls are not followed by their results but by %s", role)
	}
	c.last = role
	switch role {
	case "system", "developer":
		if m.text("content") == "" && len(m.list("content")) == 0 {
			return errors.New("an empty system message")
		}
		return nil
	case "user":
		return chatContent(m)
	case "assistant":
		return c.assistant(m)
	case "tool":
		id := m.text("tool_call_id")
		if !c.open[id] {
			return fmt.Errorf("a result for %q, which was not called just before", id)
		}
		delete(c.open, id)
		if _, ok := m["content"].(string); !ok && len(m.list("content")) == 0 {
			return errors.New("a result without content")
		}
		return nil
	}
	return fmt.Errorf("no role is called %q", role)
}

func (c *chatRules) assistant(m object) error {
	calls := m.list("tool_calls")
	if m.has("tool_calls") && len(calls) == 0 {
		return errors.New("an empty list of calls")
	}
	if blank(m.text("content")) && len(m.list("content")) == 0 && len(calls) == 0 {
		return errors.New("an assistant's message with nothing in it")
	}
	c.open = map[string]bool{}
	return each(calls, func(_ int, call object) error {
		id, f := call.text("id"), call.object("function")
		switch {
		case id == "" || c.open[id]:
			return fmt.Errorf("the id %q is empty or taken", id)
		case call.text("type") != "function":
			return errors.New("a call that is no function")
		case !wordRE.MatchString(f.text("name")):
			return fmt.Errorf("a function cannot be called %q", f.text("name"))
		}
		c.open[id] = true
		return validArguments(f.text("arguments"))
	})
}

func chatContent(m object) error {
	if s, ok := m["content"].(string); ok {
		if blank(s) {
			return errors.New("an empty message")
		}
		return nil
	}
	if len(m.list("content")) == 0 {
		return errors.New("a message without content")
	}
	return each(m.list("content"), func(_ int, p object) error {
		switch p.text("type") {
		case "text":
			if blank(p.text("text")) {
				return errors.New("an empty text")
			}
			return nil
		case "image_url":
			return validDataURL(p.object("image_url").text("url"))
		}
		return fmt.Errorf("no part has the type %q", p.text("type"))
	})
}
