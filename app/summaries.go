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
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/tools/web"
)

// summaries has pages summarised by the background model. What that uses is in
// the account of the turn.
type summaries struct{ c *Core }

const (
	summaryTokens = 2000    // of the answer
	mostPageBytes = 400_000 // of a page that are read
	pageShare     = 1.5     // bytes of a page for a token of the window: about half of it
)

// Summarise implements [web.Summariser].
func (s summaries) Summarise(ctx context.Context, turn capability.Turn, prompt, text string) (string, error) {
	choices, err := s.c.choose(ctx, "background", "")
	if err != nil {
		return "", err
	}
	model := choices[0].Model
	if model.Info().Grammar {
		return "", web.ErrNoModel
	}
	system, err := assets.Prompts.ReadFile("prompts/page.md")
	if err != nil {
		return "", fmt.Errorf("app: %w", err)
	}
	req := provider.Request{
		System: strings.TrimSpace(string(system)), MaxOutput: summaryTokens, Effort: choices[0].Effort,
		Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: pageQuestion(prompt, text, model.Info().Window)}}}},
	}
	return s.ask(ctx, turn, provider.Retry(model, provider.RetryPolicy{Max: 2}), req)
}

// pageQuestion puts the page between marks that it cannot write itself, as much
// of it as the window of the model has room for.
func pageQuestion(prompt, text string, window int) string {
	text, _ = capability.Defang(text)
	text = capability.CutMiddle(text, min(int(float64(window)*pageShare), mostPageBytes))
	return fmt.Sprintf("The question: %s\n\n<page>\n%s\n</page>", prompt, strings.ReplaceAll(text, "</page>", "</ page>"))
}

// ask gets one answer and records what it used.
func (s summaries) ask(ctx context.Context, turn capability.Turn, model provider.Model, req provider.Request) (string, error) {
	var out strings.Builder
	start := time.Now()
	for e, err := range model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		switch e := e.(type) {
		case provider.PartDone:
			if t, ok := e.Part.(provider.Text); ok {
				out.WriteString(t.Text)
			}
		case provider.Done:
			info := model.Info()
			g := agent.ModelGeneration{
				Provider: info.Provider, Model: info.Model, Usage: e.Usage, CostUSD: info.Price.Cost(e.Usage), Stop: e.Stop,
				DurationMS: time.Since(start).Milliseconds(),
			}
			if err := s.c.store.RecordGeneration(context.WithoutCancel(ctx), turn.Session, turn.ID, g); err != nil {
				slog.WarnContext(ctx, "app: recording what a summary used", "error", err)
			}
		case provider.TextDelta, provider.ReasoningDelta:
		}
	}
	return out.String(), ctx.Err()
}
