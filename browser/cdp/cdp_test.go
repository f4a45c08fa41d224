package cdp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/cdp"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) } //nolint:forbidigo // the program of a test

// A page, a frame of its own origin and one of another: each answers on its
// session, and events come in order.
func TestSessions(t *testing.T) {
	inner := browsertest.Serve(t, "b.example", "<title>inner</title><p>other origin")
	url := browsertest.Serve(t, "a.example", fmt.Sprintf("<title>outer</title><iframe src=%q></iframe>", inner))
	frames := make(chan *cdp.Session, 4)
	s := browsertest.Session(t, url, func(child *cdp.Session) { frames <- child })
	if got := browsertest.Evaluate[string](t, s, "document.title"); got != "outer" {
		t.Errorf("title %q", got)
	}
	var child *cdp.Session
	select {
	case child = <-frames:
	case <-time.After(20 * time.Second):
		t.Fatal("the frame of another origin was not attached")
	}
	if child.Target().Type != "iframe" || child.Parent() != s {
		t.Errorf("attached %+v", child.Target())
	}
	if got := browsertest.Evaluate[string](t, child, "location.host"); got != "b.example" {
		t.Errorf("the frame is at %q", got)
	}
	var order []int
	done := make(chan struct{})
	off := cdp.On(s, "Runtime.consoleAPICalled", func(e struct {
		Args []struct{ Value int } `json:"args"`
	},
	) {
		if order = append(order, e.Args[0].Value); len(order) == 100 {
			close(done)
		}
	})
	defer off()
	browsertest.Evaluate[any](t, s, "for (let i = 0; i < 100; i++) console.log(i)")
	<-done
	for i, n := range order {
		if i != n {
			t.Fatalf("event %d came as number %d", n, i)
		}
	}
	browsertest.Evaluate[any](t, s, "document.querySelector('iframe').remove()")
	select {
	case <-child.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the session of a frame that is gone did not end")
	}
	if err := child.Call(t.Context(), "Runtime.evaluate", map[string]any{"expression": "1"}, nil); !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call to a frame that is gone: %v", err)
	}
}

// What the browser refuses is an Error with its method; a closed tab ends the
// calls that wait for it.
func TestCallsThatFail(t *testing.T) {
	s := browsertest.Session(t, "about:blank", nil)
	err := s.Call(t.Context(), "Page.noSuchThing", nil, nil)
	if e, ok := errors.AsType[*cdp.Error](err); !ok || e.Code != -32601 || !strings.Contains(err.Error(), "Page.noSuchThing") {
		t.Errorf("an unknown method: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call past its deadline: %v", err)
	}
	wait := s.Post("Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true})
	s.Post("Page.close", nil)
	if err := wait(t.Context(), nil); err == nil {
		t.Error("a call to a closed page was answered")
	}
	<-s.Done()
	if err := s.Call(t.Context(), "Runtime.evaluate", map[string]any{"expression": "1"}, nil); !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call to a closed page: %v", err)
	}
}

// A dialog holds up what the page is asked; an interruption ends the waiting,
// and the call that closes the dialog passes.
func TestInterrupt(t *testing.T) {
	s := browsertest.Session(t, "about:blank", nil)
	open := errors.New("a dialog is open")
	s.On("Page.javascriptDialogOpening", func([]byte) { s.Interrupt(open) })
	begin := time.Now()
	if err := s.Call(t.Context(), "Runtime.evaluate", map[string]any{"expression": "alert(1)"}, nil); !errors.Is(err, open) {
		t.Fatalf("the call that opened a dialog: %v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the dialog was told of after %v", took)
	}
	if err := s.Call(t.Context(), "Runtime.evaluate", map[string]any{"expression": "1"}, nil); !errors.Is(err, open) {
		t.Errorf("a call while the dialog is open: %v", err)
	}
	if err := s.CallAlways(t.Context(), "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil); err != nil {
		t.Fatal(err)
	}
	s.Resume()
	if got := browsertest.Evaluate[int](t, s, "1 + 1"); got != 2 {
		t.Errorf("after the dialog: %d", got)
	}
}
