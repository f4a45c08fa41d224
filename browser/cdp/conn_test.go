package cdp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

// far is the other end of a pipe: what a browser would read and write.
func far(tb testing.TB) (*cdp.Conn, *bufio.Reader, *os.File) {
	tb.Helper()
	theirR, ourW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	ourR, theirW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	c := cdp.New(cdp.Pipe(ourR, ourW))
	tb.Cleanup(func() {
		_ = c.Close()
		_, _ = theirR.Close(), theirW.Close()
	})
	return c, bufio.NewReader(theirR), theirW
}

// A browser that dies fails all that waits, at once.
func TestDeadPipe(t *testing.T) {
	c, r, w := far(t)
	errs := make(chan error, 10)
	for range cap(errs) {
		go func() { errs <- c.Root().Call(context.Background(), "Browser.getVersion", nil, nil) }() // ends with the pipe
	}
	for range cap(errs) {
		if _, err := r.ReadBytes(0); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(errs) {
		if err := <-errs; !errors.Is(err, cdp.ErrClosed) {
			t.Errorf("a call over a dead pipe: %v", err)
		}
	}
	<-c.Done()
	<-c.Root().Done()
	if err := c.Root().Call(t.Context(), "Browser.getVersion", nil, nil); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("a call after the end: %v", err)
	}
}

// A browser that reads nothing any more keeps no call past its deadline, and
// closing does not wait for it.
func TestBrowserThatDoesNotRead(t *testing.T) {
	c, _, _ := far(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	large := map[string]any{"text": string(make([]byte, 1<<20))} // more than a pipe holds
	if err := c.Root().Call(ctx, "Input.insertText", large, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	var busy error
	for range 5000 {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Root().Call(ended, "Browser.getVersion", nil, nil); errors.Is(err, cdp.ErrBusy) {
			busy = err
		}
	}
	if busy == nil {
		t.Error("calls pile up without an end")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Damaged messages, answers to nobody and events of strangers are passed over.
func TestOddMessages(t *testing.T) {
	c, r, w := far(t)
	go func() { // ends with the pipe
		for {
			b, err := r.ReadBytes(0)
			if err != nil {
				return
			}
			var m struct {
				ID int64 `json:"id"`
			}
			if json.Unmarshal(b[:len(b)-1], &m) != nil {
				return
			}
			answer, _ := json.Marshal(map[string]any{"id": m.ID, "result": map[string]any{"product": "x/1"}})
			for _, msg := range []string{"{", `{"id":999999,"result":{}}`, `{"method":"A.b","sessionId":"nobody","params":{}}`, "", `{"method":"Target.attachedToTarget","params":{}}`, `{"method":"Target.detachedFromTarget","params":{"sessionId":"x"}}`, "null", string(answer)} {
				if _, err := io.WriteString(w, msg+"\x00"); err != nil {
					return
				}
			}
		}
	}()
	for range 3 {
		var v struct{ Product string }
		if err := c.Root().Call(t.Context(), "Browser.getVersion", nil, &v); err != nil || v.Product != "x/1" {
			t.Fatalf("%+v, %v", v, err)
		}
	}
}

// Whatever a browser writes, nothing panics and the connection can be closed.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"result":{}}`, `{"id":1,"error":{"code":-32000,"message":"no"}}`, `{"method":"Target.attachedToTarget","params":{"sessionId":"s","targetInfo":{"targetId":"t","type":"page"},"waitingForDebugger":true}}` + "\x00" + `{"method":"X.y","sessionId":"s"}`,
		`{"method":"Target.detachedFromTarget","params":{"sessionId":"s"}}`, `{"id":1e400}`, `{"method":"a","params":[[[[`, "\x00\x00", `{"id":1,"result":"\ud800"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, _, w := far(t)
		c.Root().OnAttach(func(child *cdp.Session, _ bool) { child.Post("Page.enable", nil) })
		wait := c.Root().Post("Browser.getVersion", nil)
		if _, err := io.WriteString(w, text); err != nil && !errors.Is(err, os.ErrClosed) && c.Root().Call(t.Context(), "X", nil, nil) == nil {
			t.Fatal(err)
		}
		_ = w.Close()
		var v map[string]any
		_ = wait(t.Context(), &v) // answered by the text or ended with the pipe
		<-c.Done()
	})
}
