package agent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// TestTurnHugeHistory has 40 MB of history and a model of unknown window: what
// is sent stays below what providers take, and the newest message is in it.
func TestTurnHugeHistory(t *testing.T) {
	b := newBench(t, says("fine"))
	for _, role := range []provider.Role{provider.RoleUser, provider.RoleAssistant, provider.RoleUser, provider.RoleAssistant, provider.RoleUser} {
		m := provider.Message{Role: role, Parts: []provider.Part{provider.Text{Text: strings.Repeat("x", 8<<20)}}}
		if err := b.journal.AppendMessage(t.Context(), "s", "", m); err != nil {
			t.Fatal(err)
		}
	}
	events := b.turn(t, input("the newest"))
	if events[len(events)-1].Payload.Name() != "turn.completed" {
		t.Fatalf("got %v", events[len(events)-1].Payload)
	}
	sent := b.model.requests()[0].Messages
	if n := policy.Bytes(sent); n > policy.MaxRequest {
		t.Errorf("%d bytes were sent", n)
	}
	if last := lines(sent[len(sent)-1:])[0]; !strings.HasSuffix(last, "the newest") {
		t.Errorf("the newest message is not the last: …%s", last[max(0, len(last)-40):])
	}
}

// TestTurnTooLarge cannot be made smaller: it fails once, without a request.
func TestTurnTooLarge(t *testing.T) {
	b := newBench(t, says("never"))
	in := input(strings.Repeat("x", maxText))
	in.Images = []provider.Image{{MIME: "image/png", Data: make([]byte, maxImages)}}
	events := b.turn(t, in)
	if p, ok := events[len(events)-1].Payload.(TurnFailed); !ok || p.Code != "too_long" || p.Try == "" {
		t.Errorf("got %v, want too_long", events[len(events)-1].Payload)
	}
	if n := len(b.model.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestTurnLongResult gives a small window one result that would fill it.
func TestTurnLongResult(t *testing.T) {
	b := newBench(t, calls(call("1", "big", `{"text":"x"}`)), says("fine"))
	b.model.info.Window = 8000
	add(t, b, "big", capability.Result{Text: strings.Repeat("x", 45_000)})
	events := b.turn(t, input("do it"))
	if events[len(events)-1].Payload.Name() != "turn.completed" {
		t.Fatalf("got %v", events[len(events)-1].Payload)
	}
	if n := policy.Tokens(b.model.requests()[1].Messages); n > 8000/2 {
		t.Errorf("%d tokens were sent to a window of 8,000", n)
	}
}

// TestTurnImages holds that pictures travel as pictures, never as text.
func TestTurnImages(t *testing.T) {
	b := newBench(t, calls(call("1", "shot", `{"text":"x"}`)), says("fine"))
	b.model.info.Images, b.model.info.ToolResultImages = true, true
	picture := []byte("\x89PNG\r\n\x1a\nPIXELS")
	add(t, b, "shot", capability.Result{Text: "a picture", Images: []capability.Image{{MIME: "image/png", Data: picture}}})
	for _, e := range b.turn(t, input("do it")) {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(raw); strings.Contains(text, "PIXELS") || strings.Contains(text, base64.StdEncoding.EncodeToString(picture)) {
			t.Errorf("the picture is in the event %s", text)
		}
		if p, ok := e.Payload.(ToolCompleted); ok && p.Images != 1 {
			t.Errorf("%d images are told, want 1", p.Images)
		}
	}
	msgs := b.model.requests()[1].Messages
	result, ok := msgs[len(msgs)-1].Parts[0].(provider.ToolResult)
	if !ok || len(result.Images) != 1 || strings.Contains(result.Text, "PIXELS") {
		t.Errorf("the model gets %+v", msgs[len(msgs)-1])
	}
}

func add(t *testing.T, b *bench, name string, result capability.Result) {
	t.Helper()
	c, err := capability.Func(name, "A tool of the test.", func(context.Context, sayIn) (capability.Result, error) { return result, nil })
	if err = errors.Join(err, b.Registry.Register(c)); err != nil {
		t.Fatal(err)
	}
}

// TestTurnScreens: of many pictures of the screen a request has a few, and most
// requests begin with all that the one before had, as a cache needs it.
func TestTurnScreens(t *testing.T) {
	var replies []reply
	for i := range 11 {
		replies = append(replies, calls(call(strconv.Itoa(i), policy.ScreenTool, fmt.Sprintf(`{"text":"%d"}`, i))))
	}
	b := newBench(t, append(replies, says("done"))...)
	b.model.info.Images, b.model.info.ToolResultImages = true, true
	picture := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 100)...)
	add(t, b, policy.ScreenTool, capability.Result{Text: "a picture", Images: []capability.Image{{MIME: "image/png", Data: picture}}})
	b.Tuning = func() policy.Tuning { return policy.Tuning{Loop: policy.LoopLimits{Off: true}} }
	b.turn(t, input("look"))
	cached := 0
	requests := b.model.requests()
	for i, req := range requests {
		shown := 0
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				if r, ok := p.(provider.ToolResult); ok {
					shown += len(r.Images)
				}
			}
		}
		if want := min(i, policy.KeepScreens); shown < want || shown > policy.KeepScreens+2 {
			t.Errorf("request %d has %d pictures", i, shown)
		}
		if i > 0 && len(req.Messages) > len(requests[i-1].Messages) && cmp.Equal(req.Messages[:len(requests[i-1].Messages)], requests[i-1].Messages) {
			cached++
		}
	}
	if len(requests) != 12 || cached != 9 {
		t.Errorf("%d of %d requests begin as the one before", cached, len(requests))
	}
}
