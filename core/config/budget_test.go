package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBudgets(t *testing.T) {
	c, err := Parse("/c.toml", []byte("[[budgets]]\nscope = 'day'\nusd = '2.50'\nat = 'pause'\n\n[[budgets]]\nscope = 'turn'\ntokens = 100_000\nat = 'stop'\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Budget{{Scope: "day", USD: "2.50", At: "pause"}, {Scope: "turn", Tokens: 100_000, At: "stop"}}
	if d := cmp.Diff(want, c.Budgets); d != "" || c.Budgets[0].Dollars() != 2.5 || c.Budgets[1].Dollars() != 0 {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBudgetsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"scope = 'day'\nusd = 'much'\nat = 'stop'": "budgets.0.usd must be an amount of US dollars",
		"scope = 'day'\nusd = '-1'\nat = 'stop'":   "budgets.0.usd must be an amount of US dollars",
		"scope = 'day'\nusd = 'NaN'\nat = 'stop'":  "budgets.0.usd must be an amount of US dollars",
		"scope = 'day'\nusd = 2\nat = 'stop'":      "budgets.0.usd must be text in quotes",
		"scope = 'day'\nat = 'stop'":               "budgets.0 bounds nothing: set tokens or usd",
		"scope = 'week'\nusd = '1'\nat = 'stop'":   "budgets.0.scope must be one of turn, session, day, month",
		"scope = 'day'\nusd = '1'\nat = 'explode'": "budgets.0.at must be one of warn, pause, stop",
		"usd = '1'\nat = 'stop'":                   "budgets.0 needs scope",
		"scope = 'day'\ntokens = -1\nat = 'stop'":  "budgets.0.tokens must be at least 0",
	} {
		_, err := Parse("/c.toml", []byte("[[budgets]]\n"+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
