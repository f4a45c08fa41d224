package provider_test

import (
	"context"
	"iter"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

// asked is a model that keeps what it was asked last.
type asked struct {
	hosted string
	req    *provider.Request
}

func (a asked) Info() provider.Info { return provider.Info{HostedComputer: a.hosted} }

func (a asked) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	*a.req = req
	return func(func(provider.Event, error) bool) {}
}

type shortening struct{ asked }

func (shortening) Compact(context.Context, provider.Request) (provider.Reasoning, provider.Done, error) {
	return provider.Reasoning{}, provider.Done{}, nil
}

// Only a model whose provider has a tool of its own is told of the screen, and
// one that shortens conversations goes on to do so.
func TestOperating(t *testing.T) {
	screen := &provider.Computer{Tool: "computer_use", Width: 8, Height: 6}
	of := func(context.Context) *provider.Computer { return screen }
	for name, tt := range map[string]struct {
		m    provider.Model
		told bool
		cuts bool
	}{
		"none":        {asked{"", new(provider.Request)}, false, false},
		"hosted":      {asked{"computer", new(provider.Request)}, true, false},
		"and shorter": {shortening{asked{"computer", new(provider.Request)}}, true, true},
	} {
		m := provider.Operating(tt.m, of)
		for _, err := range m.Stream(t.Context(), provider.Request{}) {
			t.Fatal("it says something", err)
		}
		var got *provider.Request
		switch inner := tt.m.(type) {
		case asked:
			got = inner.req
		case shortening:
			got = inner.req
		}
		if (got.Computer == screen) != tt.told {
			t.Errorf("%s: told %v", name, got.Computer)
		}
		if _, cuts := m.(provider.Compacter); cuts != tt.cuts {
			t.Errorf("%s: shortens %v, want %v", name, cuts, tt.cuts)
		}
	}
	req := provider.Request{Computer: screen, Tools: []provider.Tool{{Name: "read"}}}
	if req.Operates(provider.Info{HostedComputer: "computer"}) != nil {
		t.Error("the provider's tool is used where ours is not offered")
	}
}
