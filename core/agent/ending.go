package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// The failures that end a turn, beside those of providers.
var (
	Refused     = &capability.Failure{Code: "refused", When: "the model declined to answer", Try: "say it in other words, or pick another model"}
	EmptyAnswer = &capability.Failure{Code: "empty_answer", When: "the model answered nothing", Try: "send the message again, or pick another model"}
	NotStored   = &capability.Failure{Code: "not_stored", When: "the conversation could not be stored", Try: "make room on the disk and check that the data folder can be written"}
	NoAccount   = &capability.Failure{Code: "no_account", When: "what was spent so far cannot be read", Try: "run hobkin doctor; without budgets in the settings the work goes on"}
	TooLong     = &capability.Failure{Code: "too_long", When: "the conversation no longer fits the model", Try: "start a new session, or pick a model with a larger window"}
)

// ending is how a turn ends: its last event, and what the history says of it.
type ending struct {
	payload Payload
	marker  string // empty for a turn that came to its end
}

func (r *run) completed() ending {
	return ending{payload: TurnCompleted{Steps: r.steps, DurationMS: time.Since(r.started).Milliseconds()}}
}

func sealed(reason string) ending {
	return ending{TurnSealed{reason}, "[The turn ended here: " + reason + ".]"}
}

func cancelled(reason string) ending {
	if reason == interrupted {
		return ending{TurnCancelled{reason}, interruptedMarker}
	}
	return ending{TurnCancelled{reason}, "[The turn was stopped here by the user.]"}
}

const interruptedMarker = "[The turn was interrupted here, because the program ended.]"

// failure makes an error into the end of the turn. A turn whose context ended
// was cancelled, whatever error followed from that.
func (r *run) failure(ctx context.Context, err error) ending {
	if ctx.Err() != nil {
		return cancelled(context.Cause(ctx).Error())
	}
	failed := r.describe(ctx, err)
	return ending{failed, "[The turn ended here: " + failed.Message + ".]"}
}

// describe says an error in a sentence, without secrets. What is no expected
// failure is logged, and only an id of it is shown.
func (r *run) describe(ctx context.Context, err error) TurnFailed {
	told := r.Runner.Disclosure
	if u, ok := capability.AsUserError(err); ok {
		u = told.Expected(u)
		return TurnFailed{u.Code, r.redact(u.Message), r.redact(u.Try)}
	}
	if p, ok := errors.AsType[*provider.Error](err); ok {
		if told == capability.Minimal {
			return TurnFailed{"provider_" + string(p.Kind), "the model's provider did not answer as it should", r.redact(p.Try)}
		}
		return TurnFailed{"provider_" + string(p.Kind), r.redact(p.Error()), r.redact(p.Try)}
	}
	id := rand.Text()[:8]
	slog.ErrorContext(ctx, "agent: internal error", "id", id, "error", r.redact(err.Error()))
	return TurnFailed{"internal", told.Internal(id, r.redact(err.Error())), "send the message again; the log has the details"}
}

// finish leaves the history whole and closes the turn. The journal may be what
// failed, so its errors here are only logged, and the end is told all the same.
func (r *run) finish(ctx context.Context, end ending) {
	ctx = context.WithoutCancel(ctx)
	if r.partial = r.screened(ctx, r.partial); r.partial != "" {
		r.emit(ctx, OutputCompleted{r.partial})
	}
	if end.marker != "" {
		var parts []provider.Part
		if r.partial != "" {
			parts = append(parts, provider.Text{Text: r.partial})
		}
		parts = append(parts, provider.Text{Text: end.marker})
		_ = r.keep(ctx, provider.Message{Role: provider.RoleAssistant, Parts: parts}) // logged there
	}
	if _, err := r.Hub.Publish(ctx, r.job.Session, r.job.turn, end.payload); err != nil {
		slog.ErrorContext(ctx, "agent: storing the end of a turn", "turn", r.job.turn, "error", err)
		r.Hub.tell(r.job.Session, r.job.turn, end.payload)
	}
}

// redact hides secrets as the runner does.
func (r *run) redact(text string) string {
	if r.Runner.Redact == nil {
		return text
	}
	return r.Runner.Redact(text)
}
