package app

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
)

// What a server writes into its form is shown without what steers a terminal or
// hides text, and an option that was changed for that comes back as it was.
func TestFormsAreShownPlainly(t *testing.T) {
	q := &questions{}
	q.publish = func(_ context.Context, _, _ string, p agent.Payload) error {
		asked, ok := p.(agent.QuestionAsked)
		if !ok {
			return nil
		}
		for _, text := range append(slices.Clone(asked.Questions[0].Options), asked.Questions[0].Question, asked.Questions[0].Header, asked.Questions[0].Default) {
			if strings.ContainsAny(text, "\x1b\u202e\u200b\r") {
				t.Errorf("shown as it came: %q", text)
			}
		}
		return q.answer(control.QuestionAnswer{ID: asked.ID, Answers: map[string][]string{"f": {asked.Questions[0].Options[0]}}, By: "test"})
	}
	form := []agent.Question{{
		ID: "f", Header: "h\u202e", Question: "\x1b[2J\rAllow? [y/s/n]", Kind: "choice", Options: []string{"no\u200b", "yes"}, Default: "\u202eno",
	}}
	got, err := q.ask(t.Context(), capability.Call{}, form, time.Minute)
	if err != nil || !slices.Equal(got["f"], []string{"no\u200b"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if form[0].Options[0] != "no\u200b" {
		t.Error("the form of the caller was changed")
	}
}

// A server's page is opened by a browser, and by nothing else.
func TestPagesOfServers(t *testing.T) {
	for address, want := range map[string]bool{
		"https://example.com/sign-in": true, "http://localhost:3000/": true, "http://127.0.0.1/": true,
		"http://example.com/": false, "file://localhost/etc/passwd": false, "javascript://localhost/%0aalert(1)": false,
		"smb://127.0.0.1/share": false, "https://bank.example@evil.example/": false, "https:evil": false, "ssh://localhost": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if opens(u) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}
