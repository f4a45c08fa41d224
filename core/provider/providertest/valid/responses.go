package valid

import (
	"errors"
	"fmt"
	"strings"
)

// validResponses: each item has what its type needs, each call exactly one
// output behind it, and reasoning what it was for.
func validResponses(doc object) error {
	err := doc.only("model", "input", "instructions", "tools", "tool_choice", "stream", "store", "include", "reasoning", "max_output_tokens",
		"prompt_cache_key", "temperature", "top_p", "parallel_tool_calls", "text", "truncation", "user", "previous_response_id", "context_management")
	switch {
	case err != nil:
		return err
	case doc.text("model") == "":
		return errors.New("no model")
	case doc.text("input") != "":
		return nil
	case len(doc.list("input")) == 0:
		return errors.New("no input")
	}
	r := responsesRules{calls: map[string]bool{}, done: map[string]bool{}}
	if err := each(doc.list("input"), r.item); err != nil {
		return fmt.Errorf("input%w", err)
	}
	if r.thought {
		return errors.New("reasoning without the item that followed it")
	}
	for id := range r.calls {
		if !r.done[id] {
			return fmt.Errorf("no output for the call %s", id)
		}
	}
	seen := map[string]bool{}
	return each(doc.list("tools"), func(_ int, t object) error {
		if t.text("type") != "function" {
			return nil // hosted tools have no schema
		}
		return validFunction(t.text("name"), t.object("parameters"), seen)
	})
}

type responsesRules struct {
	calls, done map[string]bool
	thought     bool // the last item is reasoning
}

func (r *responsesRules) item(_ int, it object) error {
	kind := it.text("type")
	if kind == "" && it.text("role") != "" {
		kind = "message"
	}
	if r.thought && (strings.HasSuffix(kind, "_call_output") || kind == "message" && it.text("role") != "assistant") {
		return errors.New("reasoning without the item that followed it")
	}
	r.thought = kind == "reasoning"
	switch kind {
	case "message":
		return responsesMessage(it)
	case "reasoning":
		if !it.has("summary") {
			return errors.New("reasoning without a summary")
		}
		return nil
	case "function_call", "function_call_output", "computer_call", "computer_call_output":
		return map[string]func(object) error{
			"function_call": r.call, "function_call_output": r.output, "computer_call": r.computerCall, "computer_call_output": r.computerOutput,
		}[kind](it)
	case "compaction":
		if it.text("encrypted_content") == "" {
			return errors.New("a compaction with nothing in it")
		}
		return nil
	case "item_reference":
		return nil
	}
	return fmt.Errorf("no item has the type %q", kind)
}

func (r *responsesRules) call(it object) error {
	id := it.text("call_id")
	switch {
	case id == "" || len(id) > 64:
		return fmt.Errorf("the id %q is empty or too long", id)
	case r.calls[id]:
		return fmt.Errorf("the id %s is taken", id)
	case !wordRE.MatchString(it.text("name")):
		return fmt.Errorf("a function cannot be called %q", it.text("name"))
	case it.has("id") && !strings.HasPrefix(it.text("id"), "fc_"):
		return fmt.Errorf("%q is no id of a call", it.text("id"))
	}
	r.calls[id] = true
	return validArguments(it.text("arguments"))
}

func (r *responsesRules) output(it object) error {
	id := it.text("call_id")
	if !r.calls[id] || r.done[id] {
		return fmt.Errorf("an output for %q, which was not called or has one", id)
	}
	r.done[id] = true
	if _, ok := it["output"].(string); ok {
		return nil
	}
	if len(it.list("output")) == 0 {
		return errors.New("an output with nothing in it")
	}
	return each(it.list("output"), func(_ int, p object) error { return responsesPiece(p, "input_text") })
}

// computerCall: the hosted tool's calls go with the id of their item, one act or
// a list of them, and what was to be agreed to, be it nothing.
func (r *responsesRules) computerCall(it object) error {
	id := it.text("call_id")
	switch {
	case id == "" || len(id) > 64 || it.text("id") == "":
		return fmt.Errorf("an id of the computer call %q is empty or too long", id)
	case r.calls[id]:
		return fmt.Errorf("the id %s is taken", id)
	case it.object("action").text("type") == "" && len(it.list("actions")) == 0:
		return errors.New("a computer call without an act")
	case !it.has("pending_safety_checks"):
		return errors.New("a computer call without pending_safety_checks")
	}
	r.calls[id] = true
	return each(it.list("actions"), func(_ int, a object) error {
		if a.text("type") == "" {
			return errors.New("an act without a type")
		}
		return nil
	})
}

func (r *responsesRules) computerOutput(it object) error {
	id := it.text("call_id")
	if !r.calls[id] || r.done[id] {
		return fmt.Errorf("an output for %q, which was not called or has one", id)
	}
	r.done[id] = true
	if it.object("output").text("type") != "computer_screenshot" {
		return errors.New("an output of a computer call that is no picture of the screen")
	}
	return validDataURL(it.object("output").text("image_url"))
}

func responsesMessage(it object) error {
	kind := "input_text"
	switch it.text("role") {
	case "user", "system", "developer":
	case "assistant":
		kind = "output_text"
	default:
		return fmt.Errorf("no role is called %q", it.text("role"))
	}
	if s, ok := it["content"].(string); ok && s != "" {
		return nil
	}
	if len(it.list("content")) == 0 {
		return errors.New("a message without content")
	}
	return each(it.list("content"), func(_ int, p object) error { return responsesPiece(p, kind) })
}

func responsesPiece(p object, text string) error {
	switch kind := p.text("type"); {
	case kind == text:
		if p.text("text") == "" {
			return errors.New("an empty text")
		}
		return nil
	case kind == "refusal" && text == "output_text":
		return nil
	case kind == "input_image" && text == "input_text":
		return validDataURL(p.text("image_url"))
	default:
		return fmt.Errorf("no piece of such a message has the type %q", kind)
	}
}
