package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/store"
)

// A day's budget that was spent before the start asks the person, who lets it go
// on; a turn that no one attends ends there. The tool and the report say the
// same.
func TestBudgetOfTheDay(t *testing.T) {
	t.Setenv(config.HomeVariable, filepath.Join(t.TempDir(), "home"))
	paths, err := config.DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		t.Fatal(err)
	}
	settings := "[models.main]\nprovider = 'offline'\n\n[[budgets]]\nscope = 'day'\ntokens = 1000\nat = 'pause'\n"
	if err := os.WriteFile(paths.ConfigFile(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	open := func() *Core {
		t.Helper()
		c, err := Open(t.Context(), Options{Paths: paths, Workspace: workspace})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	if err := c.store.RecordUsage(t.Context(), store.Usage{Session: "earlier", Turn: "t", Input: 1100, Output: 100}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open() // what was spent survives the restart
	defer func() { _ = c.Close() }()

	result, err := c.call(t.Context(), control.CallRequest{Tool: "check_budget", Args: json.RawMessage(`{}`), Workspace: workspace})
	if err != nil || !strings.Contains(result.Text, "day: 1200 tokens of 1000 tokens spent (120 %)") {
		t.Errorf("check_budget says %q, %v", result.Text, err)
	}
	report, err := c.usage(t.Context(), control.UsageQuery{Days: 2})
	if err != nil || len(report.Days) != 2 || report.Days[1].Input != 1100 || len(report.Budgets) != 1 || report.Budgets[0].Percent != 120 {
		t.Errorf("the report is %+v, %v", report, err)
	}
	if got := c.played(t, true); !slices.Contains(got, "budget.paused") || !slices.Contains(got, "budget.resumed") || got[len(got)-1] != "turn.completed" {
		t.Errorf("with a person: %v", got)
	}
	if err := c.store.RecordUsage(t.Context(), store.Usage{Session: "more", Turn: "t", Input: 1000}); err != nil {
		t.Fatal(err)
	}
	if got := c.played(t, false); !slices.Contains(got, "budget.sealed") || got[len(got)-1] != "turn.sealed" || slices.Contains(got, "question.asked") {
		t.Errorf("with no one there: %v", got)
	}
}

// played sends a message, agrees to what is asked, and returns the names of the
// turn's events.
func (c *Core) played(t *testing.T, attended bool) (names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sent, err := c.send(ctx, control.SendRequest{Text: "what can you do", Channel: "cli", Attended: attended})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range c.hub.Watch(ctx, sent.Session, sent.From) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Turn != sent.Turn {
			continue
		}
		names = append(names, e.Payload.Name())
		if q, ok := e.Payload.(agent.QuestionAsked); ok {
			if err := c.answerQuestion(ctx, control.QuestionAnswer{ID: q.ID, Answers: map[string][]string{"budget": {"Go on"}}, By: "test"}); err != nil {
				t.Fatal(err)
			}
		}
		if agent.EndsTurn(e.Payload) {
			return names
		}
	}
	t.Fatalf("the turn did not end: %v", names)
	return nil
}
