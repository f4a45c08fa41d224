package providertest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/hobkin/hobkin/core/provider"
)

// ErrEnd is yielded by a [Script] that has no answer left.
var ErrEnd = errors.New("providertest: the script has no answer left")

// A Script is a model that gives its answers in order and keeps what it was
// asked. It may be used by several goroutines; which of them gets which answer
// is then the order of asking.
type Script struct {
	// Description is what Info returns.
	Description provider.Info

	mu      sync.Mutex
	answers []Answer
	asked   []provider.Request
}

// An Answer is what a Script yields to one request.
type Answer struct {
	Wait   <-chan struct{}  // when not nil, nothing is yielded before it is closed
	Events []provider.Event // yielded in order
	Err    error            // yielded last, when not nil
}

// NewScript returns a model that gives these answers. It says of itself that it
// sees pictures and calls tools in a window of 100,000 tokens.
func NewScript(answers ...Answer) *Script {
	return &Script{
		Description: provider.Info{
			Provider: "script", Model: "script-1", Title: "Script", Window: 100_000,
			Images: true, ToolResultImages: true, Tools: true, Reasoning: true,
		},
		answers: answers,
	}
}

// Say is an answer of text, in two deltas, that ends the turn.
func Say(text string) Answer {
	half := len(text) / 2
	for half > 0 && half < len(text) && text[half]&0xC0 == 0x80 {
		half--
	}
	return Answer{Events: []provider.Event{
		provider.TextDelta(text[:half]),
		provider.TextDelta(text[half:]),
		provider.PartDone{Part: provider.Text{Text: text}},
		provider.Done{Stop: provider.StopEnd, Usage: provider.Usage{Input: 10, Output: 5}, Model: "script-1"},
	}}
}

// Call is an answer that wants these tools run.
func Call(calls ...provider.ToolCall) Answer {
	var events []provider.Event
	for _, c := range calls {
		events = append(events, provider.PartDone{Part: c})
	}
	return Answer{Events: append(events, provider.Done{
		Stop: provider.StopTools, Usage: provider.Usage{Input: 10, Output: 5}, Model: "script-1",
	})}
}

// Fail is an answer that is only an error.
func Fail(err error) Answer { return Answer{Err: err} }

// Add puts further answers behind those that are left.
func (s *Script) Add(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// Requests returns what the script was asked so far.
func (s *Script) Requests() []provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Info implements [provider.Model].
func (s *Script) Info() provider.Info { return s.Description }

// Stream implements [provider.Model].
func (s *Script) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		answer := s.next(req)
		if answer.Wait != nil {
			select {
			case <-answer.Wait:
			case <-ctx.Done():
			}
		}
		for _, e := range answer.Events {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		if answer.Err != nil {
			yield(nil, answer.Err)
		}
	}
}

// next keeps req and takes the next answer.
func (s *Script) next(req provider.Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Messages = slices.Clone(req.Messages)
	s.asked = append(s.asked, req)
	if len(s.answers) == 0 {
		return Fail(ErrEnd)
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer
}
