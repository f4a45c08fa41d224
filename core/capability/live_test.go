package capability

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// holding is a stream that hides the word secret and holds back its beginning.
type holding struct{ held string }

func (h *holding) Write(piece string) string {
	text := strings.ReplaceAll(h.held+piece, "secret", "[hidden]")
	for n := min(len("secret")-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, "secret"[:n]) {
			h.held = text[len(text)-n:]
			return text[:len(text)-n]
		}
	}
	h.held = ""
	return text
}

func (h *holding) Release() string { return h.Flush() }

func (h *holding) Flush() string {
	out := h.held
	h.held = ""
	return out
}

// A secret that a tool prints in two pieces is not shown, and what is held
// back of ordinary text is shown after a moment.
func TestLiveOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // what waited is shown on another goroutine
		var text strings.Builder
		shown := func() string {
			mu.Lock()
			defer mu.Unlock()
			return text.String()
		}
		r := &Runner{Registry: &Registry{}, Stream: func() TextStream { return &holding{} }}
		c, err := Func("talk", "Talks.", func(_ context.Context, _ struct{}) (string, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
		c.Class = ReadOnly
		c.Handler = func(_ context.Context, call Call) (Result, error) {
			call.Output("stdout", "a se")
			call.Output("stderr", "other")
			call.Output("stdout", "cret b s")
			<-time.After(2 * patience)
			if got := shown(); got != "stdout:a |stderr:other|stdout:[hidden] b |stdout:s|" {
				t.Errorf("after a moment %q is shown", got)
			}
			call.Output("stdout", " and sec")
			return Result{Text: "done"}, nil
		}
		if err := r.Registry.Register(c); err != nil {
			t.Fatal(err)
		}
		r.Run(t.Context(), Request{ID: "1", Name: "talk", Output: func(stream, piece string) {
			mu.Lock()
			defer mu.Unlock()
			text.WriteString(stream + ":" + piece + "|")
		}})
		if got := shown(); !strings.HasSuffix(got, "stdout: and |stdout:sec|") {
			t.Errorf("at the end %q is shown", got)
		}
	})
}

type broken struct{ holding }

func (*broken) Write(string) string { panic("broken") }

func TestLiveWithholds(t *testing.T) {
	var shown string
	l := NewLive(&broken{}, func(text string) { shown += text })
	l.Write("secret")
	l.Flush()
	if shown != withheld {
		t.Errorf("got %q", shown)
	}
}
