package connect_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/connect"
	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/core/provider/providertest/valid"
)

// A judge is the other end of a client: it answers nothing and holds each
// request to what its interface takes.
type judge struct {
	mu       sync.Mutex
	requests int
	err      error
}

func (j *judge) RoundTrip(req *http.Request) (*http.Response, error) {
	body := make([]byte, req.ContentLength)
	for n := 0; n < len(body); {
		k, err := req.Body.Read(body[n:])
		n += k
		if err != nil && n < len(body) {
			return nil, err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.requests++
	if err := valid.Request(req.URL.Path, body); err != nil && j.err == nil {
		j.err = fmt.Errorf("%s %w\n%s", req.URL.Path, err, body)
	}
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusUnauthorized)
	return w.Result(), nil
}

// everyModel is one for each wire format, and for what it can and cannot take.
func everyModel(tb testing.TB, j *judge) (list []provider.Model) {
	tb.Helper()
	for _, s := range []provider.Spec{
		{Kind: "openai", Model: "gpt-5"},
		{Kind: "openai", Model: "o3-mini"},
		{Kind: "openai_chat", Model: "gpt-4o"},
		{Kind: "openrouter", Model: "z-ai/glm-4.6"},
		{Kind: "xai", Model: "grok-4"},
		{Kind: "anthropic", Model: "claude-sonnet-4-5"},
		{Kind: "anthropic", Model: "blind", BaseURL: "https://other.test"},
		{Kind: "gemini", Model: "gemini-2.5-pro"},
		{Kind: "gemini", Model: "gemini-3-pro-preview"},
		{Kind: "ollama", Model: "llama"},
	} {
		m, err := connect.Open(s, provider.Options{HTTP: &http.Client{Transport: j}})
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// repaired sends a damaged history to every interface. What is left of it must
// be a request that the interface takes, unless nothing at all is left.
func repaired(tb testing.TB, j *judge, models []provider.Model, history []provider.Message) {
	tb.Helper()
	for _, m := range models {
		if len(provider.Normalize(history, m.Info())) == 0 {
			continue
		}
		for _, effort := range []string{"", "high"} {
			_ = providertest.Collect(tb.Context(), m, provider.Request{System: "s", Messages: history, Effort: effort, CacheKey: "k"})
		}
		j.mu.Lock()
		err := j.err
		j.mu.Unlock()
		if err != nil {
			tb.Fatalf("%s: %v\nthe history was %+v", m.Info().Model, err, history)
		}
	}
}

// TestHistoryRepair: any stored history, however damaged, becomes a request that
// every interface takes.
func TestHistoryRepair(t *testing.T) {
	j := &judge{}
	models := everyModel(t, j)
	r := rand.New(rand.NewPCG(1, 2))
	histories := 150
	if testing.Short() {
		histories = 50
	}
	for i := range histories {
		repaired(t, j, models, providertest.Damage(r, providertest.History(r), i%12))
	}
	if j.requests < histories*len(models) {
		t.Errorf("only %d requests were made of %d histories", j.requests, histories)
	}
	t.Logf("%d damaged histories made %d valid requests to %d models", histories, j.requests, len(models))
}

// TestShortenedHistory: so does what compaction makes of it, stage by stage and
// time and again.
func TestShortenedHistory(t *testing.T) {
	j := &judge{}
	models := everyModel(t, j)
	r := rand.New(rand.NewPCG(3, 4))
	item := provider.Reasoning{ID: "compaction", Encrypted: "ZW5jcnlwdGVk", Provider: "openai"}
	shortened := 0
	for i := range 20 {
		h := providertest.Damage(r, append(providertest.History(r), providertest.History(r)...), i%6)
		for range 3 {
			h, _ = policy.Mask(h)
			repaired(t, j, models, policy.Limits{Result: 300}.View(h))
			d, ok := policy.Divide(h, r.IntN(len(h)+1)-1, r.IntN(2000))
			if !ok {
				break
			}
			shortened++
			text, kept := policy.Digest(d.Covered, 2000), policy.Kept(d.Covered, 2000)
			if r.IntN(2) == 0 {
				h, _ = d.Join(text, kept, -1)
			} else {
				h, _ = d.Native(item, text, kept, -1)
			}
			repaired(t, j, models, h)
			h = append(h, providertest.Damage(r, providertest.History(r), 2)...)
		}
	}
	if shortened < 20 {
		t.Errorf("only %d were shortened", shortened)
	}
}

func FuzzHistoryRepair(f *testing.F) {
	for i := range uint64(20) {
		f.Add(i, i*7, byte(i))
	}
	f.Fuzz(func(t *testing.T, a, b uint64, steps byte) {
		j := &judge{}
		r := rand.New(rand.NewPCG(a, b))
		repaired(t, j, everyModel(t, j), providertest.Damage(r, providertest.History(r), int(steps%40)))
	})
}
