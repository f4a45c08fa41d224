// Package offline is a model that needs no network and no key: a fixed grammar
// of plain requests, made into calls of tools. It is what answers while no
// language model is connected, and it says so.
//
//	message → words → the first form that fits → calls → results → a report
//
// It keeps no state. Every request is the whole conversation, so each time the
// last message is understood anew, and the calls that were made since say how
// far the work has come. A question that it asked is understood from the
// conversation too.
//
// The grammar is the list of forms in the form_….go files. [Examples] shows
// what it understands; the same table is its test.
package offline

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/provider"
)

// Name is the name of the provider and of its one model.
const Name = "offline"

// New returns the offline model. It is safe for concurrent use.
func New() provider.Model { return &model{now: time.Now} }

type model struct{ now func() time.Time }

// Info says what the model is. Its window is as large as any conversation: it
// reads the last messages only, and must never be asked for a summary.
func (*model) Info() provider.Info {
	return provider.Info{Provider: Name, Model: Name, Title: "Offline helper", Window: 1 << 40, Tools: true, Grammar: true, Priced: true}
}

// Stream answers with calls, or with a text.
func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		calls, text := m.answer(req)
		stop := provider.StopEnd
		for i, c := range calls {
			stop = provider.StopTools
			part := provider.ToolCall{ID: callID(req, i), Name: c.tool, Args: c.args.json()}
			if !yield(provider.PartDone{Part: part}, nil) {
				return
			}
		}
		if text != "" && !say(ctx, text, yield) {
			return
		}
		yield(provider.Done{Stop: stop, Model: Name}, nil)
	}
}

// say yields a text line by line, then whole.
func say(ctx context.Context, text string, yield func(provider.Event, error) bool) bool {
	for line := range strings.Lines(text) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		if !yield(provider.TextDelta(line), nil) {
			return false
		}
	}
	return yield(provider.PartDone{Part: provider.Text{Text: text}}, nil)
}

// answer decides between calls and a text; exactly one of them is not empty.
func (m *model) answer(req provider.Request) ([]call, string) {
	t := readTalk(req)
	in := m.understand(t)
	if len(t.done) > 0 {
		if next := t.next(in); next != nil {
			return t.offeredOnly(next)
		}
		return nil, report(t)
	}
	switch {
	case in.reply != "":
		return nil, in.reply
	case in.question != "":
		if tool := in.tool; tool != "" && !t.has(tool) {
			return nil, t.notOffered(tool)
		}
		return nil, in.question
	case len(in.steps) > 0:
		return t.offeredOnly(in.steps[0])
	}
	return nil, t.puzzled()
}

// callID names the i-th call of an answer: the same for the same conversation,
// and used nowhere else in it.
func callID(req provider.Request, i int) string {
	h := fnv.New64a()
	used := map[string]bool{}
	for _, msg := range req.Messages {
		for _, p := range msg.Parts {
			switch p := p.(type) {
			case provider.ToolCall:
				used[p.ID] = true
			case provider.Text:
				_, _ = h.Write([]byte(p.Text)) // a hash takes everything
			case provider.ToolResult, provider.Image, provider.Reasoning:
			}
		}
	}
	for n := len(used) + i; ; n++ {
		if id := fmt.Sprintf("off_%x_%d", uint32(h.Sum64()), n); !used[id] {
			return id
		}
	}
}
