package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// screen lets the checks of the owner see an answer before it is stored and
// counts. What was shown of one that does not pass is taken back.
func (r *run) screen(ctx context.Context, got answer) answer {
	text := got.text()
	shown := r.screened(ctx, text)
	if shown == text {
		return got
	}
	out := answer{stop: got.stop}
	for _, p := range got.parts {
		switch p.(type) {
		case provider.Text:
			if shown != "" {
				out.parts = append(out.parts, provider.Text{Text: shown})
			}
			shown = "" // it stands where the first text stood
		case provider.Reasoning, provider.ToolCall, provider.Image, provider.ToolResult:
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// screened is what stands in the place of a text.
func (r *run) screened(ctx context.Context, text string) string {
	if r.Screen == nil || strings.TrimSpace(text) == "" {
		return text
	}
	shown, reason := r.checked(ctx, text)
	if reason == "" {
		return text
	}
	r.emit(ctx, OutputReplaced{Reason: reason})
	return shown
}

// checked calls Screen. A text that it dies of is withheld.
func (r *run) checked(ctx context.Context, text string) (shown, reason string) {
	defer func() {
		if p := recover(); p != nil {
			r.describe(ctx, fmt.Errorf("panic in a check of an answer: %v", p)) // it logs
			shown, reason = "(withheld: the answer could not be checked)", "the answer could not be checked"
		}
	}()
	return r.Screen(ctx, r.turn, text)
}
