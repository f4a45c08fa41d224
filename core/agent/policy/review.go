package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Reviewer has a second model look at risky calls. It can only make things
// stricter: where it is unsure, fails or is slow, the person is asked.
type Reviewer struct {
	Adviser Adviser
	Timeout time.Duration // of one review; 0 means 10 seconds
}

// A Proposal is a call as the reviewer sees it.
type Proposal struct {
	Task string          // the message that the turn answers
	Tool string          // name and title of the tool
	Args json.RawMessage // final arguments
	Acts string          // what the call would do, as a person would be shown
}

// reviewTime is how long a review may take when nothing else is said.
const reviewTime = 10 * time.Second

// Review reports whether the person must be asked, and why.
func (r Reviewer) Review(ctx context.Context, p Proposal) (ask bool, reason string) {
	limit := r.Timeout
	if limit <= 0 {
		limit = reviewTime
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o, err := r.Adviser.Opine(inner, "review", []Section{
		{"task", p.Task}, {"tool", p.Tool}, {"arguments", string(p.Args)}, {"effect", p.Acts},
	}, "allow", "ask")
	switch {
	case inner.Err() != nil && ctx.Err() == nil:
		return true, fmt.Sprintf("The reviewer did not answer within %s.", limit)
	case err != nil:
		return true, "The reviewer gave no clear answer."
	case o.Decision == "allow":
		return false, ""
	case o.Reason == "":
		return true, "The reviewer wants you to look at it."
	}
	return true, "The reviewer wants you to look at it: " + o.Reason
}
