package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/memory"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

// reviewing has the background model go through what was said, once a day at
// most, after a turn has ended. It runs until ctx ends; the function it returns
// waits for that.
func (m *memories) reviewing(ctx context.Context) (wait func()) {
	done := make(chan struct{})
	events := m.c.hub.Watch(ctx, "", 0) // from here on none is missed
	go func() {
		defer close(done)
		for e, err := range events {
			if err != nil {
				return
			}
			if _, ended := e.Payload.(agent.TurnCompleted); ended {
				m.review(ctx)
			}
		}
	}()
	return func() { <-done }
}

// reviewTime bounds one review.
const reviewTime = 2 * time.Minute

// review does it where it is wanted, and there is a model for it.
func (m *memories) review(ctx context.Context) {
	cfg := m.c.cfg.Load().Memory
	if !cfg.Enabled || !cfg.Review {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	r := memory.Reviewer{Book: m.book, Said: m.said}
	if due, err := r.Due(ctx); err != nil || !due {
		return
	}
	choices, err := m.c.agent.Models(ctx, "background", "")
	if err != nil || len(choices) == 0 || choices[0].Model.Info().Grammar {
		return // without a model there is none
	}
	r.Ask = m.asker(choices[0])
	system, err := assets.Prompts.ReadFile("prompts/memory.md")
	if err == nil {
		r.System = strings.TrimSpace(string(system))
		var out memory.Review
		if out, err = r.Review(ctx); err == nil && len(out.Held) > 0 {
			m.tell(ctx, out)
		}
	}
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "app: reviewing the memory", "error", err)
	}
}

// reviewTokens bounds the answer of one review.
const reviewTokens = 2000

// asker asks the background model; what that uses is in the account.
func (m *memories) asker(choice agent.Choice) func(ctx context.Context, system, question string) (string, error) {
	return func(ctx context.Context, system, question string) (string, error) {
		return summaries{m.c}.ask(ctx, capability.Turn{Session: "memory", ID: "memory_" + store.NewID()}, provider.Retry(choice.Model, provider.RetryPolicy{Max: 1}), provider.Request{
			System: system, MaxOutput: reviewTokens, Effort: choice.Effort,
			Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: question}}}},
		})
	}
}

// tell says that something waits for the owner.
func (m *memories) tell(ctx context.Context, out memory.Review) {
	keys := make([]string, len(out.Held))
	for i, h := range out.Held {
		keys[i] = h.Key
	}
	m.c.alert(ctx, "Something to remember waits for you", &control.Error{Message: strings.Join(keys, ", ") + ". Agree or turn it down on the Memory page, or with: hobkin memory list --held"})
}

// Bounds of what a review reads.
const (
	reviewSessions = 10
	reviewSession  = 4000 // bytes, the last of each
)

// said is what the person and the agent said lately, without what tools gave.
func (m *memories) said(ctx context.Context, since time.Time) (text, session string, err error) {
	list, err := m.c.store.Sessions(ctx, store.Query{Limit: reviewSessions})
	if err != nil {
		return "", "", err
	}
	var out strings.Builder
	for _, s := range list {
		if s.Updated.Before(since) {
			continue
		}
		history, _, err := m.c.store.Messages(ctx, s.ID)
		if err != nil {
			return "", "", err
		}
		one := spokenWords(history)
		if len(one) > reviewSession {
			one = strings.ToValidUTF8(one[len(one)-reviewSession:], "")
		}
		fmt.Fprintf(&out, "## A conversation\n%s\n", one)
		if session == "" {
			session = s.ID
		}
	}
	return m.c.redactor.Redact(out.String()), session, nil
}

func spokenWords(history []provider.Message) string {
	var b strings.Builder
	for _, msg := range history {
		who := map[provider.Role]string{provider.RoleUser: "person", provider.RoleAssistant: "agent"}[msg.Role]
		for _, p := range msg.Parts {
			if t, ok := p.(provider.Text); ok && who != "" {
				b.WriteString(who + ": " + t.Text + "\n")
			}
		}
	}
	return b.String()
}
