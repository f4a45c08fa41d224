package policy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// An Opinion is what a second model thinks of something.
type Opinion struct {
	Decision string `json:"decision"` // allow, ask or block
	Reason   string `json:"reason"`   // a sentence for the person
}

// A Section is a piece of material that is judged.
type Section struct{ Name, Text string }

// An Adviser is a second model that gives opinions.
type Adviser struct {
	Model  provider.Model
	Effort string
	// Account is told what an answer took, for budgets and the person; may be nil.
	Account func(ctx context.Context, done provider.Done, took time.Duration)
}

// Bounds of a question and its answer.
const (
	sectionBytes  = 24_000 // of one piece of material
	opinionTokens = 2000   // of the answer, thinking included
	opinionBytes  = 8000   // of the answer's text
	reasonBytes   = 300
)

// Opine asks what to decide about the material. Prompt names a text of the
// assets, and decisions are those that may be taken. Everything but a clear
// answer is an error: what to do then is for the caller to say.
func (a Adviser) Opine(ctx context.Context, prompt string, material []Section, decisions ...string) (Opinion, error) {
	info := a.Model.Info()
	if info.Grammar {
		return Opinion{}, errors.New("policy: the built-in offline helper has no opinions")
	}
	system, err := assets.Prompts.ReadFile("prompts/" + prompt + ".md")
	if err != nil {
		return Opinion{}, fmt.Errorf("policy: %w", err)
	}
	req := provider.Request{
		System: strings.TrimSpace(string(system)), Effort: a.Effort, MaxOutput: opinionTokens,
		Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: marked(material)}}}},
	}
	var text strings.Builder
	start := time.Now()
	for ev, err := range a.Model.Stream(ctx, req) {
		if err != nil {
			return Opinion{}, err
		}
		switch ev := ev.(type) {
		case provider.PartDone:
			if t, ok := ev.Part.(provider.Text); ok {
				text.WriteString(t.Text)
			}
		case provider.Done:
			if a.Account != nil {
				a.Account(ctx, ev, time.Since(start))
			}
			if ev.Stop != provider.StopEnd {
				return Opinion{}, fmt.Errorf("policy: the answer ended early (%s)", ev.Stop)
			}
			return ParseOpinion(text.String(), decisions...)
		case provider.TextDelta, provider.ReasoningDelta:
		}
	}
	if ctx.Err() != nil {
		return Opinion{}, ctx.Err()
	}
	return Opinion{}, errors.New("policy: the answer broke off")
}

// marked puts the material between marks that it cannot know.
func marked(material []Section) string {
	nonce := rand.Text()[:12]
	var b strings.Builder
	for _, s := range material {
		text := strings.ReplaceAll(s.Text, nonce, "")
		fmt.Fprintf(&b, "<%s id=%q>\n%s\n</%s id=%q>\n\n", s.Name, nonce, capability.CutMiddle(text, sectionBytes), s.Name, nonce)
	}
	return b.String()
}

// ParseOpinion reads an answer: one JSON object with just a decision, which is
// one of those given, and a reason. A code fence around it is passed over, since
// models are used to write one; anything else beside it makes the answer unclear.
func ParseOpinion(text string, decisions ...string) (Opinion, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner, ok = strings.CutSuffix(strings.TrimPrefix(inner, "json"), "```")
		if !ok {
			return Opinion{}, errors.New("policy: the answer is no JSON object")
		}
		text = strings.TrimSpace(inner)
	}
	if len(text) > opinionBytes {
		return Opinion{}, errors.New("policy: the answer is too long")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var o Opinion
	if err := d.Decode(&o); err != nil {
		return Opinion{}, errors.New("policy: the answer is not the JSON object that was asked for")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Opinion{}, errors.New("policy: there is more in the answer than one JSON object")
	}
	if !slices.Contains(decisions, o.Decision) {
		return Opinion{}, fmt.Errorf("policy: the answer decides %.20q, which is none of %s", o.Decision, strings.Join(decisions, ", "))
	}
	o.Reason = capability.CutText(strings.Join(strings.Fields(o.Reason), " "), reasonBytes)
	return o, nil
}
