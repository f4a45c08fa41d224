package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// A question of one conversation is answered in words from a chat, by the token
// it was given there and not from anywhere else.
func TestConfirmFromAChat(t *testing.T) {
	for answer, want := range map[string]bool{"/confirm": true, "/deny": false} {
		s := openScripted(t,
			providertest.Call(toolCall(t, "a", "file_write", map[string]any{"path": "made.txt", "content": "x\n"})),
			providertest.Say("Done."))
		said := ""
		list := s.play(t, control.SendRequest{Text: "make it", Channel: "desktop", Attended: true, Mode: "ask"}, func(agent.ApprovalRequested) string {
			offers, err := s.client.Offers(t.Context(), "chat one")
			if err != nil || len(offers) != 1 || offers[0].Request.Tool != "file_write" {
				t.Fatalf("offered %+v, %v", offers, err)
			}
			line := answer + " " + offers[0].Token
			if _, err := s.client.Confirm(t.Context(), control.ConfirmRequest{Conversation: "chat two", Text: line}); control.AsError(err).Code != "other_sender" {
				t.Errorf("from another chat: %v", err)
			}
			if said, err = s.client.Confirm(t.Context(), control.ConfirmRequest{Conversation: "chat one", Text: line}); err != nil {
				t.Fatal(err)
			}
			return ""
		})
		_, err := os.Stat(filepath.Join(s.ws, "made.txt"))
		resolved := payloads[agent.ApprovalResolved](list)
		if (err == nil) != want || len(resolved) != 1 || !strings.HasPrefix(resolved[0].By, "chat") || !strings.Contains(said, "Write") {
			t.Errorf("%s: the file is there: %v, resolved %+v, said %q", answer, err == nil, resolved, said)
		}
	}
}
