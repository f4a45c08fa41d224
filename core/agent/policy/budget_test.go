package policy

import "testing"

func TestStanding(t *testing.T) {
	for name, tt := range map[string]struct {
		s           Standing
		share       float64
		used, limit string
	}{
		"tokens":         {Standing{Budget{ForTurn, 1000, 0, StopAt}, Spent{500, 9}, 0}, 0.5, "500 tokens", "1000 tokens"},
		"money":          {Standing{Budget{ForDay, 0, 2, StopAt}, Spent{500, 3}, 0}, 1.5, "$3.00", "$2.00"},
		"both, money":    {Standing{Budget{ForDay, 1000, 2, StopAt}, Spent{500, 3}, 0}, 1.5, "$3.00", "$2.00"},
		"both, tokens":   {Standing{Budget{ForDay, 1000, 2, StopAt}, Spent{900, 1}, 0}, 0.9, "900 tokens", "1000 tokens"},
		"raised":         {Standing{Budget{ForDay, 1000, 0, PauseAt}, Spent{1500, 0}, 1}, 0.75, "1500 tokens", "2000 tokens"},
		"small amounts":  {Standing{Budget{ForTurn, 0, 0.004, StopAt}, Spent{1, 0.001}, 0}, 0.25, "$0.0010", "$0.0040"},
		"nothing so far": {Standing{Budget{ForMonth, 0, 5, StopAt}, Spent{}, 0}, 0, "$0.00", "$5.00"},
	} {
		if got := tt.s.Share(); got != tt.share || tt.s.Used() != tt.used || tt.s.Limit() != tt.limit {
			t.Errorf("%s: %v, %s of %s, want %v, %s of %s", name, got, tt.s.Used(), tt.s.Limit(), tt.share, tt.used, tt.limit)
		}
	}
}

func TestStrictest(t *testing.T) {
	of := func(at Action, spent int) Standing {
		return Standing{Budget: Budget{ForTurn, 100, 0, at}, Spent: Spent{Tokens: spent}}
	}
	for name, tt := range map[string]struct {
		all  []Standing
		want Standing
		ok   bool
	}{
		"none":                  {nil, Standing{}, false},
		"none is spent":         {[]Standing{of(StopAt, 99)}, Standing{}, false},
		"one":                   {[]Standing{of(WarnAt, 100)}, of(WarnAt, 100), true},
		"stop before pause":     {[]Standing{of(PauseAt, 500), of(StopAt, 100), of(WarnAt, 900)}, of(StopAt, 100), true},
		"pause before warn":     {[]Standing{of(WarnAt, 500), of(PauseAt, 100), of(StopAt, 99)}, of(PauseAt, 100), true},
		"of two stops the most": {[]Standing{of(StopAt, 100), of(StopAt, 300), of(StopAt, 200)}, of(StopAt, 300), true},
	} {
		if got, ok := Strictest(tt.all); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %+v, %v", name, got, ok)
		}
	}
}
