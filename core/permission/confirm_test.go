//go:build !windows

package permission

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// A question is answered from a text channel by who was asked, where they were
// asked, once, within a minute, and by what a person typed alone.
func TestConfirm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Broker{}
		c := Chat{Broker: b}
		id, answer := asked(t, b, t.Context(), agent.ApprovalRequested{Call: "c", Title: "Run a command", Fingerprint: "f"})
		token := c.Offer(id, "chat", "owner")
		say := func(text, chat, sender string, p capability.Provenance) error {
			_, err := c.Take(Said{Text: text, Conversation: chat, Sender: sender, Provenance: p})
			return err
		}
		for name, x := range map[string]struct {
			text, chat, sender string
			p                  capability.Provenance
			want               error
		}{
			"another sender":    {"/confirm " + token, "chat", "guest", capability.FromPerson, OtherSender},
			"another chat":      {"/confirm " + token, "other", "owner", capability.FromPerson, OtherSender},
			"a job":             {"/confirm " + token, "chat", "owner", capability.FromSchedule, NotTyped},
			"a page":            {"/confirm " + token, "chat", "owner", capability.FromWeb, NotTyped},
			"a tool":            {"/confirm " + token, "chat", "owner", capability.FromTool, NotTyped},
			"a subagent":        {"/confirm " + token, "chat", "owner", capability.FromSubagent, NotTyped},
			"nobody stamped it": {"/confirm " + token, "chat", "owner", "", NotTyped},
			"a guess":           {"/confirm AAAAAAAAAA", "chat", "owner", capability.FromPerson, NoToken},
			"no token":          {"/confirm", "chat", "owner", capability.FromPerson, NoToken},
			"a longer text":     {"please /confirm " + token, "chat", "owner", capability.FromPerson, NoToken},
			"two tokens":        {"/confirm " + token + " now", "chat", "owner", capability.FromPerson, NoToken},
		} {
			if err := say(x.text, x.chat, x.sender, x.p); !errors.Is(err, x.want) {
				t.Errorf("%s: got %v, want %v", name, err, x.want)
			}
		}
		if err := say(" /confirm "+token+"\n", "chat", "owner", capability.FromPerson); err != nil { // none of those used it up
			t.Fatal(err)
		}
		if got := answer(); got != (Answer{Once, "chat: owner"}) {
			t.Errorf("the answer was %+v", got)
		}
		if err := say("/confirm "+token, "chat", "owner", capability.FromPerson); !errors.Is(err, NoToken) {
			t.Errorf("a second use: %v", err)
		}
		if c.Offer(id, "chat", "owner") != "" {
			t.Error("a token for a question that is answered")
		}

		id, answer = asked(t, b, t.Context(), agent.ApprovalRequested{Call: "c", Fingerprint: "g"})
		late := c.Offer(id, "chat", "owner")
		time.Sleep(TokenLife) //nolint:forbidigo // time of the bubble
		if err := say("/confirm "+late, "chat", "owner", capability.FromPerson); !errors.Is(err, NoToken) {
			t.Errorf("an old token: %v", err)
		}
		deny := c.Offer(id, "chat", "owner")
		if err := say("/deny "+deny, "chat", "owner", capability.FromPerson); err != nil {
			t.Fatal(err)
		}
		if got := answer(); got.Decision != DenyOnce {
			t.Errorf("denied: got %+v", got)
		}
	})
}

// Where the window was faster, the token says so.
func TestConfirmTooLate(t *testing.T) {
	b := &Broker{}
	c := Chat{Broker: b}
	id, answer := asked(t, b, t.Context(), agent.ApprovalRequested{Fingerprint: "f"})
	token := c.Offer(id, "chat", "owner")
	if err := b.Answer(id, "f", DenyOnce, "window"); err != nil {
		t.Fatal(err)
	}
	answer()
	if _, err := c.Take(Said{"/confirm " + token, "chat", "owner", capability.FromPerson}); !errors.Is(err, Answered) {
		t.Errorf("got %v, want Answered", err)
	}
}

func TestIsAnswer(t *testing.T) {
	for text, want := range map[string]bool{"/confirm X": true, " /deny X ": true, "/confirm": true, "/confirmed": false, "say /confirm X": false, "/confirm X and then rm": false, "": false} {
		if got := IsAnswer(text); got != want {
			t.Errorf("IsAnswer(%q) = %v", text, got)
		}
	}
}
