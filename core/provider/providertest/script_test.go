package providertest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func TestScript(t *testing.T) {
	call := provider.ToolCall{ID: "1", Name: "file_read", Args: `{"path":"a"}`}
	s := providertest.NewScript(providertest.Call(call), providertest.Say("héllo"))

	first := providertest.Collect(t.Context(), s, provider.Request{System: "one"})
	second := providertest.Collect(t.Context(), s, provider.Request{System: "two"})
	third := providertest.Collect(t.Context(), s, provider.Request{})

	if diff := cmp.Diff([]provider.Part{call}, first.Parts); diff != "" {
		t.Errorf("first answer: %s", diff)
	}
	if second.Text != "héllo" || second.Done == nil || second.Done.Stop != provider.StopEnd {
		t.Errorf("second answer: %+v", second)
	}
	if !errors.Is(third.Err, providertest.ErrEnd) {
		t.Errorf("third answer: got %v, want ErrEnd", third.Err)
	}
	if got := s.Requests(); len(got) != 3 || got[0].System != "one" || got[1].System != "two" {
		t.Errorf("requests: %+v", got)
	}
}

func TestScriptStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answer := providertest.Say("never")
	answer.Wait = make(chan struct{})
	s := providertest.NewScript(answer)
	cancel()
	if got := providertest.Collect(ctx, s, provider.Request{}); !errors.Is(got.Err, context.Canceled) || got.Text != "" {
		t.Errorf("got %+v, want only context.Canceled", got)
	}
}
