package computeruse

import (
	"errors"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// The ways that an act is refused. Nothing was sent then.
var (
	Off            = &capability.Failure{Code: "off", When: "computer use is switched off, or its helper does not answer", Try: "tell the user: set computer_use.enabled and look at hobkin doctor"}
	NotAttended    = &capability.Failure{Code: "not_attended", When: "no person is there to watch", Try: "do it another way; computer use is for conversations that a person is part of"}
	LookOnly       = &capability.Failure{Code: "look_only", When: "the sandbox is strict: the screen may be looked at and nothing more", Try: "tell the user what you would have done"}
	Paused         = &capability.Failure{Code: "paused", When: "a person paused computer use", Try: "stop acting and wait: only the user goes on, with /resume"}
	Stopped        = &capability.Failure{Code: "stopped", When: "a person stopped computer use in this turn", Try: "do not act again in this turn; tell the user how far you came"}
	Busy           = &capability.Failure{Code: "busy", When: "another act runs, or another conversation holds the mouse", Try: "wait for it to end; send one act at a time"}
	UserActive     = &capability.Failure{Code: "user_active", When: "a person is using the mouse or the keyboard", Try: "wait a little with action wait, then look again; the screen may have changed"}
	TooManyActs    = &capability.Failure{Code: "too_many_actions", When: "the turn has used up its acts", Try: "tell the user how far you came and ask whether to go on"}
	UnknownFrame   = &capability.Failure{Code: "unknown_observation", When: "no picture of this conversation has that observation_id", Try: "take a screenshot and use its observation_id"}
	StaleFrame     = &capability.Failure{Code: "stale_observation", When: "the picture is too old, or the displays have changed since", Try: "take a new screenshot and point into that"}
	OutOfBounds    = &capability.Failure{Code: "out_of_bounds", When: "the point lies outside the picture or on no display", Try: "use coordinates of the picture that observation_id names; for another display take a screenshot of it"}
	BadTarget      = &capability.Failure{Code: "bad_target", When: "no target is named, or two are, or one that the action cannot use", Try: "name one: observation_id with x and y, or observation_id with element, or observation_id with mark"}
	UnknownElement = &capability.Failure{Code: "unknown_element", When: "that observation has no such element or mark, or it is gone", Try: "list the elements again, or take a screenshot with marks, and use what it names"}
	NotActionable  = &capability.Failure{Code: "not_actionable", When: "the element is disabled, lies on no screen, or cannot do that", Try: "look at its states and actions; scroll it into view or bring its window to the front first"}
	Forbidden      = &capability.Failure{Code: "forbidden_program", When: "the program under the act is one that is never used for the user: a terminal, a password manager, system settings, a login prompt, or Hobkin itself", Try: "do it with another tool, or ask the user to do this step"}
	OtherWindow    = &capability.Failure{Code: "other_window", When: "another window lies there, or has the focus, than the one that was judged", Try: "take a screenshot and look at what is in front now"}
	UnknownWindow  = &capability.Failure{Code: "unknown_window", When: "no window has that id", Try: "list the windows and use an id from there"}
	UnknownDisplay = &capability.Failure{Code: "unknown_display", When: "there is no such display", Try: "list the displays and use an id from there"}
	UnknownKey     = &capability.Failure{Code: "unknown_key", When: "a key of the chord has no such name", Try: "use names such as ctrl, shift, alt, super, Return, Tab, Escape, F5, Left, or a single character; for text use action type"}
	NoScreen       = &capability.Failure{Code: "no_display", When: "there is no screen, or it has gone", Try: "tell the user; there is nothing to see or to click"}
	Unsupported    = &capability.Failure{Code: "unsupported", When: "this system does not let that be done", Try: "do it another way; the message says why"}
	CaptureStalled = &capability.Failure{Code: "capture_stalled", When: "the screen gave no picture in time; the helper was started again", Try: "try once more; if it stalls again tell the user"}
	HelperFailed   = &capability.Failure{Code: "helper_failed", When: "the native helper ended, did not answer, or is of another version", Try: "try once more; if it fails again tell the user to look at hobkin doctor"}
)

// Failures lists them all, for the tool that declares them.
func Failures() []*capability.Failure {
	return []*capability.Failure{
		Off, NotAttended, LookOnly, Paused, Stopped, Busy, UserActive, TooManyActs, UnknownFrame, StaleFrame, OutOfBounds, BadTarget, UnknownElement, NotActionable,
		Forbidden, OtherWindow, UnknownWindow, UnknownDisplay, UnknownKey, NoScreen, Unsupported, CaptureStalled, HelperFailed,
	}
}

// ofWire says which failure an error code of the helper is.
var ofWire = map[string]*capability.Failure{
	wire.BadRequest: capability.BadInput, wire.WrongProtocol: HelperFailed, wire.NoDisplay: NoScreen, wire.Unsupported: Unsupported, wire.Denied: Unsupported,
	wire.LookOnly: LookOnly, wire.IsPaused: Paused, wire.Busy: Busy, wire.OutOfBounds: OutOfBounds, wire.UnknownKey: UnknownKey, wire.StaleElement: UnknownElement,
	wire.NotActionable: NotActionable, wire.UnknownWindow: OtherWindow, wire.UnknownDisplay: UnknownDisplay, wire.DisplayReplaced: StaleFrame,
}

// refusal makes what the helper answered into what a model reads. An error that
// is not the helper's stays as it is.
func refusal(err error) error {
	w, ok := wireError(err)
	if !ok {
		return err
	}
	f := ofWire[w.Code]
	if f == nil {
		f = HelperFailed
	}
	u := f.Becausef("%s", w.Message)
	if w.Fix != "" {
		u = u.Trying(w.Fix)
	}
	return u
}

// sent reports whether some input had gone out before an act failed: what it
// did is not known then.
func sent(err error) bool {
	w, ok := wireError(err)
	return ok && w.Sent
}

func wireError(err error) (*wire.Error, bool) { return errors.AsType[*wire.Error](err) }
