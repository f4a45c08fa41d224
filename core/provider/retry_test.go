package provider_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func fails(kind provider.Kind, after time.Duration) providertest.Answer {
	return providertest.Fail(&provider.Error{Provider: "p", Kind: kind, Message: "m", RetryAfter: after})
}

func TestRetry(t *testing.T) {
	visible := providertest.Answer{
		Events: []provider.Event{provider.TextDelta("so")},
		Err:    &provider.Error{Provider: "p", Kind: provider.KindNetwork, Message: "m"},
	}
	busy := fails(provider.KindOverloaded, 0)
	for name, tc := range map[string]struct {
		policy  provider.RetryPolicy
		answers []providertest.Answer
		asked   int
		kind    provider.Kind // of the failure that comes out, empty for none
		least   time.Duration // of all waiting
		most    time.Duration
	}{
		"no failure":       {answers: []providertest.Answer{providertest.Say("a")}, asked: 1},
		"rate":             {answers: []providertest.Answer{fails(provider.KindRate, 0), providertest.Say("a")}, asked: 2, least: 250 * time.Millisecond, most: 751 * time.Millisecond},
		"network, timeout": {answers: []providertest.Answer{fails(provider.KindNetwork, 0), fails(provider.KindTimeout, 0), providertest.Say("a")}, asked: 3, least: time.Second * 7 / 8, most: 3 * time.Second},
		"asked to wait":    {answers: []providertest.Answer{fails(provider.KindRate, 20*time.Second), providertest.Say("a")}, asked: 2, least: 20 * time.Second, most: 20 * time.Second},
		"asked to wait too long": {
			answers: []providertest.Answer{fails(provider.KindRate, time.Hour)}, asked: 1, kind: provider.KindRate,
		},
		"four times and no more": {
			answers: []providertest.Answer{busy, busy, busy, busy, busy, providertest.Say("a")}, asked: 5, kind: provider.KindOverloaded, least: 6 * time.Second, most: 20 * time.Second,
		},
		"own limits": {
			policy:  provider.RetryPolicy{Max: 2, First: time.Minute, Longest: 2 * time.Second},
			answers: []providertest.Answer{busy, busy, busy}, asked: 3, kind: provider.KindOverloaded, least: 2 * time.Second, most: 4 * time.Second,
		},
		"never":          {policy: provider.RetryPolicy{Max: -1}, answers: []providertest.Answer{busy}, asked: 1, kind: provider.KindOverloaded},
		"after output":   {answers: []providertest.Answer{visible}, asked: 1, kind: provider.KindNetwork},
		"key":            {answers: []providertest.Answer{fails(provider.KindAuth, 0)}, asked: 1, kind: provider.KindAuth},
		"quota":          {answers: []providertest.Answer{fails(provider.KindQuota, 0)}, asked: 1, kind: provider.KindQuota},
		"too long":       {answers: []providertest.Answer{fails(provider.KindContext, 0)}, asked: 1, kind: provider.KindContext},
		"not accepted":   {answers: []providertest.Answer{fails(provider.KindInvalid, 0)}, asked: 1, kind: provider.KindInvalid},
		"not understood": {answers: []providertest.Answer{fails(provider.KindResponse, 0)}, asked: 1, kind: provider.KindResponse},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := providertest.NewScript(tc.answers...)
				var told []provider.Retrying
				tc.policy.Notify = func(r provider.Retrying) { told = append(told, r) }
				m := provider.Retry(script, tc.policy)
				began := time.Now()
				got := providertest.Collect(t.Context(), m, provider.Request{})
				waited := time.Since(began)

				var kind provider.Kind
				if e, ok := errors.AsType[*provider.Error](got.Err); ok {
					kind = e.Kind
				}
				if kind != tc.kind || got.After != 0 || (got.Done == nil) == (kind == "") {
					t.Errorf("got %+v, want kind %q", got, tc.kind)
				}
				if n := len(script.Requests()); n != tc.asked || len(told) != n-1 {
					t.Errorf("asked %d times and told of %d repetitions, want %d", n, len(told), tc.asked)
				}
				if waited < tc.least || waited > tc.most {
					t.Errorf("waited %s, want %s to %s", waited, tc.least, tc.most)
				}
				for i, r := range told {
					if r.Attempt != i+1 || r.Of < r.Attempt || r.Err == nil || r.Wait <= 0 {
						t.Errorf("told %+v", r)
					}
				}
				if m.Info() != script.Info() {
					t.Error("another description")
				}
			})
		})
	}
}

// A turn puts its own notices on a model that repeats already: the tries must
// not multiply.
func TestRetryTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := fails(provider.KindOverloaded, 0)
		script := providertest.NewScript(busy, busy, busy, busy, busy, busy, busy)
		told := 0
		m := provider.Retry(provider.Retry(script, provider.RetryPolicy{}), provider.RetryPolicy{Max: 2, Notify: func(provider.Retrying) { told++ }})
		got := providertest.Collect(t.Context(), m, provider.Request{})
		if n := len(script.Requests()); n != 3 || told != 2 || got.Err == nil {
			t.Errorf("asked %d times, told %d, error %v", n, told, got.Err)
		}
	})
}

func TestRetryStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := provider.Retry(providertest.NewScript(fails(provider.KindRate, 30*time.Second)), provider.RetryPolicy{
			Notify: func(provider.Retrying) { cancel() },
		})
		if got := providertest.Collect(ctx, m, provider.Request{}); !errors.Is(got.Err, context.Canceled) || got.After != 0 {
			t.Errorf("got %+v", got)
		}
	})
}
