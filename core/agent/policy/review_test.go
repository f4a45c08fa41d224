package policy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func TestReview(t *testing.T) {
	cut := providertest.Say(`{"decision":"allow","reason":""}`)
	cut.Events[len(cut.Events)-1] = provider.Done{Stop: provider.StopLength}
	for name, tt := range map[string]struct {
		answer providertest.Answer
		ask    bool
		why    string
	}{
		"allow":            {providertest.Say(`{"decision":"allow","reason":"it is what was asked for"}`), false, ""},
		"allow in a fence": {providertest.Say("```json\n{\"decision\":\"allow\",\"reason\":\"\"}\n```"), false, ""},
		"ask":              {providertest.Say(`{"decision":"ask","reason":"It removes\nmore than the log."}`), true, "look at it: It removes more than the log."},
		"ask, no reason":   {providertest.Say(`{"decision":"ask","reason":""}`), true, "wants you to look at it."},
		"prose":            {providertest.Say("I would allow this."), true, "no clear answer"},
		"prose around":     {providertest.Say(`Sure: {"decision":"allow","reason":""}`), true, "no clear answer"},
		"prose behind":     {providertest.Say(`{"decision":"allow","reason":""} Have a nice day`), true, "no clear answer"},
		"two objects":      {providertest.Say(`{"decision":"allow","reason":""}{"decision":"ask","reason":""}`), true, "no clear answer"},
		"another word":     {providertest.Say(`{"decision":"ALLOW","reason":""}`), true, "no clear answer"},
		"more fields":      {providertest.Say(`{"decision":"allow","reason":"","sure":false}`), true, "no clear answer"},
		"nothing":          {providertest.Say(""), true, "no clear answer"},
		"cut off":          {cut, true, "no clear answer"},
		"an error":         {providertest.Fail(errors.New("503")), true, "no clear answer"},
		"a tool call":      {providertest.Call(provider.ToolCall{ID: "1", Name: "x", Args: "{}"}), true, "no clear answer"},
	} {
		t.Run(name, func(t *testing.T) {
			model := providertest.NewScript(tt.answer)
			ask, why := Reviewer{Adviser: Adviser{Model: model}}.Review(t.Context(), Proposal{Task: "clean the logs", Tool: "shell", Args: []byte(`{"command":"rm a.log"}`)})
			if ask != tt.ask || !strings.Contains(why, tt.why) {
				t.Errorf("got %v, %q; want %v, %q", ask, why, tt.ask, tt.why)
			}
			req := model.Requests()[0]
			said := req.Messages[0].Parts[0].(provider.Text).Text
			if !strings.Contains(said, "clean the logs") || !strings.Contains(said, "rm a.log") || strings.Contains(req.System, "clean") || len(req.Tools) > 0 {
				t.Errorf("it was asked %q, %q", req.System, said)
			}
		})
	}
}

// A slow reviewer is not waited for longer than it has; one that is stopped
// with its turn does not let the call through either.
func TestReviewTakesNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := providertest.Say(`{"decision":"allow","reason":""}`)
		slow.Wait = make(chan struct{})
		ask, why := Reviewer{Adviser: Adviser{Model: providertest.NewScript(slow)}}.Review(t.Context(), Proposal{})
		if !ask || !strings.Contains(why, "within 10s") {
			t.Errorf("got %v, %q", ask, why)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if ask, _ := (Reviewer{Adviser: Adviser{Model: providertest.NewScript(slow)}}).Review(ctx, Proposal{}); !ask {
			t.Error("a review that was stopped lets the call through")
		}
	})
}

func FuzzParseOpinion(f *testing.F) {
	for _, s := range []string{`{"decision":"allow","reason":"x"}`, "```json\n{}\n```", "```", "", "null", `{"decision":"ask"}x`, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOpinion(text, "allow", "ask")
		if err == nil && (o.Decision != "allow" && o.Decision != "ask" || len(o.Reason) > reasonBytes) {
			t.Errorf("%q became %+v", text, o)
		}
		if err == nil && !strings.Contains(text, o.Decision) && !strings.Contains(text, `\u`) {
			t.Errorf("%q does not say %q", text, o.Decision)
		}
	})
}
