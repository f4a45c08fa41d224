package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// scripted is a whole core, as the command line opens it, whose model plays a
// script.
type scripted struct {
	*Core
	client *control.Client
	script *providertest.Script
	ws     string
}

func openScripted(t *testing.T, answers ...providertest.Answer) *scripted {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv(config.HomeVariable, filepath.Join(dir, "hobkin"))
	paths, err := config.DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{ws: filepath.Join(dir, "work"), script: providertest.NewScript(answers...)}
	if err := paths.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths.ConfigFile(), fmt.Appendf(nil, "[agent]\nworkspace = %q\n", s.ws), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Core, err = Open(t.Context(), Options{Paths: paths, Workspace: s.ws}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Core.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.MakeWorkspace(); err != nil {
		t.Fatal(err)
	}
	s.agent.Models = func(context.Context, string, string) ([]agent.Choice, error) {
		return []agent.Choice{{Model: s.script}}, nil
	}
	s.client = &control.Client{Transport: &control.Local{Handler: s.Core}}
	return s
}

// toolCall is one call of the model's.
func toolCall(tb testing.TB, id, name string, args any) provider.ToolCall {
	tb.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		tb.Fatal(err)
	}
	return provider.ToolCall{ID: id, Name: name, Args: string(raw)}
}

// turnTime bounds one scripted turn.
const turnTime = 30 * time.Second

// play sends a message, answers every question as decide says, and returns the
// events of the turn. A nil decide lets no question come: one is a fault.
func (s *scripted) play(t *testing.T, r control.SendRequest, decide func(agent.ApprovalRequested) string) []agent.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), turnTime)
	defer cancel()
	sent, err := s.client.Send(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return s.watch(t, sent, decide)
}

// watch waits for the end of a turn as play does.
func (s *scripted) watch(t *testing.T, sent control.Sent, decide func(agent.ApprovalRequested) string) []agent.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), turnTime)
	defer cancel()
	var list []agent.Event
	for e, err := range s.client.Watch(ctx, control.WatchRequest{Session: sent.Session, From: sent.From}) {
		if err != nil {
			t.Fatalf("the turn did not end: %v", err)
		}
		list = append(list, e)
		switch p := e.Payload.(type) {
		case agent.ApprovalRequested:
			if decide == nil {
				t.Errorf("asked about %s: %s", p.Tool, p.Reason)
			} else if d := decide(p); d != "" {
				_ = s.client.Answer(ctx, control.ApprovalAnswer{ID: p.ID, Fingerprint: p.Fingerprint, Decision: d, By: "test"}) // an answer that comes too late shows in the events
				continue
			}
		case agent.TurnCompleted, agent.TurnFailed, agent.TurnCancelled, agent.TurnSealed:
			if e.Turn == sent.Turn {
				return list
			}
		default: // the others only tell
		}
	}
	t.Fatal("the events ended before the turn")
	return nil
}

// payloads are the payloads of one sort.
func payloads[P agent.Payload](list []agent.Event) (out []P) {
	for _, e := range list {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// stand puts a tool of the test's in the place of a tool of ours, where there
// is one.
func (s *scripted) stand(t *testing.T, c capability.Capability) {
	t.Helper()
	s.registry.Unregister(c.Name)
	if err := s.registry.Register(c); err != nil {
		t.Fatal(err)
	}
}
