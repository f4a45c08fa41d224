package policy

import (
	"slices"
	"strconv"
	"testing"
)

func TestTunedLoop(t *testing.T) {
	for name, tt := range map[string]struct {
		limits LoopLimits
		want   []Verdict // of equal calls, and of equal answers
	}{
		"off":         {LoopLimits{Off: true}, []Verdict{Fine, Fine, Fine, Fine, Fine, Fine}},
		"sooner":      {LoopLimits{Warn: 2, Stop: 3}, []Verdict{Fine, Warn, Stop, Stop, Stop, Stop}},
		"later":       {LoopLimits{Warn: 5, Stop: 6}, []Verdict{Fine, Fine, Fine, Fine, Warn, Stop}},
		"only warned": {LoopLimits{Warn: 2, Stop: 100}, []Verdict{Fine, Warn, Warn, Warn, Warn, Warn}},
	} {
		l := Loop{LoopLimits: tt.limits}
		one := Repeat{Tool: "file_read", Args: "{}", Result: "a"}
		var calls, answers []Verdict
		for range tt.want {
			calls, answers = append(calls, l.Judge(one)), append(answers, l.Batch([]Repeat{one, one}))
		}
		if !slices.Equal(calls, tt.want) || !slices.Equal(answers, tt.want) {
			t.Errorf("%s: calls %v, answers %v, want %v", name, calls, answers, tt.want)
		}
	}
}

func TestTunedProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		limits ProgressLimits
		want   []int // looks after which something is said, of 24
	}{
		"off":    {ProgressLimits{Off: true}, nil},
		"sooner": {ProgressLimits{Looks: 5}, []int{5, 10, 15, 20}},
		"later":  {ProgressLimits{Looks: 100}, nil},
		"as is":  {ProgressLimits{}, []int{24}},
	} {
		p := Progress{ProgressLimits: tt.limits}
		var got []int
		for i := range 24 {
			if p.Judge(Deed{Tool: "file_read", Target: strconv.Itoa(i), Looks: true}) != "" {
				got = append(got, i+1)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: told after %v, want %v", name, got, tt.want)
		}
	}
}

func TestTunedCompaction(t *testing.T) {
	for name, tt := range map[string]struct {
		tuned               Compaction
		due                 bool // at 6,000 of 10,000 tokens
		goal, enough, alarm int  // alarm: the goal after a request of 6,000 was refused
	}{
		"as is":       {Compaction{}, false, 5_000, 7_500, 3_000},
		"off":         {Compaction{Off: true, Full: 0.3}, false, 5_000, 2_700, 3_000},
		"sooner":      {Compaction{Full: 0.5, Goal: 0.2}, true, 2_000, 3_000, 2_000},
		"close ahead": {Compaction{Full: 0.7, Goal: 0.6}, false, 6_000, 6_300, 3_000},
		"late":        {Compaction{Full: 0.95, Goal: 0.85}, false, 8_500, 8_550, 3_000},
	} {
		c := Compactor{Compaction: tt.tuned, Window: 10_000}
		goal := c.Shorter(9_900, false)
		if c.Due(6_000) != tt.due || goal != tt.goal || c.Enough(goal) != tt.enough || c.Shorter(6_000, true) != tt.alarm {
			t.Errorf("%s: due %v, goal %d, enough %d, after a refusal %d", name, c.Due(6_000), goal, c.Enough(goal), c.Shorter(6_000, true))
		}
	}
}
