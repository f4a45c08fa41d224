package permission

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/hobkin/hobkin/core/capability"
)

// A Reviewed call is one that would go through without a question.
type Reviewed struct {
	Tool    *capability.Capability
	Call    capability.Call
	Preview capability.Preview
	Risk    string // low, medium or high; low for tools that are never asked about
}

// review gives a call that would go through its second look, which can only
// make the verdict stricter. What a person agreed to for the session, this very
// call, is not asked again.
func (g *Gate) review(ctx context.Context, s *subject, v Verdict) Verdict {
	if v.Action != Allow || g.Review == nil || g.session.has(s.call.Turn.Session, Fingerprint(s.call)) {
		return v
	}
	ask, why := g.reviewed(ctx, s)
	if !ask {
		return v
	}
	return Verdict{Action: AskFirst, Reason: why, Risk: s.risk(), reviewed: true}
}

// reviewed calls Review. What it dies of is asked about.
func (g *Gate) reviewed(ctx context.Context, s *subject) (ask bool, why string) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "permission: a review", "tool", s.tool.Name, "error", fmt.Sprint(p))
			ask, why = true, "The check of this call failed."
		}
	}()
	risk := s.risk()
	if safe[s.tool.Name] || s.gentle() {
		risk = Low
	}
	return g.Review(ctx, Reviewed{Tool: s.tool, Call: s.call, Preview: s.preview, Risk: risk})
}
