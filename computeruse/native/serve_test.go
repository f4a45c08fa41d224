package native

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/computeruse/wire/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A plain desk has one display at a negative origin, a pointer that goes where
// it is told, and keys that note what they did. What goes wrong on real ones
// is in package x11; here is what only a broken one does.
type plain struct {
	mu    sync.Mutex
	at    wire.Point
	down  []string
	moved func(wire.Point) // called before a move
}

var plainBox = wire.Box{X: -640, Y: -100, W: 640, H: 480}

func (p *plain) Displays(context.Context) (wire.DisplaysResult, error) {
	return wire.DisplaysResult{Layout: "one", Displays: []wire.Display{{
		ID: "1", Name: "plain", Primary: true, Box: plainBox, Logical: wire.Size{W: 320, H: 240}, Scale: 2,
	}}}, nil
}

func (p *plain) Grab(_ context.Context, b wire.Box) (*image.RGBA, error) {
	return image.NewRGBA(image.Rect(0, 0, b.W, b.H)), nil
}

func (p *plain) Where(context.Context) (wire.Point, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, nil
}

func (p *plain) Move(_ context.Context, to wire.Point) error {
	if p.moved != nil {
		p.moved(to)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = to
	return nil
}

func (p *plain) Press(_ context.Context, b string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = append(p.down, b)
	return nil
}

func (p *plain) Release(context.Context, string) error {
	p.ReleaseAll()
	return nil
}

func (p *plain) Wheel(context.Context, int, int) error { return nil }

func (p *plain) ReleaseAll() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := p.down
	p.down = nil
	return names
}

func (p *plain) held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.down)
}

func (p *plain) parts() Parts {
	return Parts{DisplayServer: "x11", Backend: "plain", Screen: p, Pointer: p, Held: p}
}

// A talk is a server at work, spoken to line by line.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
}

func converse(t *testing.T, s *Server) *talk {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	k := &talk{t: t, in: inW, lines: make(chan string, 100), ended: make(chan error, 1)}
	go func() {
		k.ended <- s.Serve(context.Background(), inR, outW)
		_ = outW.Close()
		_ = inR.Close()
	}()
	go func() {
		defer close(k.lines)
		in := bufio.NewReader(outR)
		for {
			l, err := in.ReadString('\n')
			if err != nil {
				return
			}
			wiretest.Line(t, []byte(l))
			k.lines <- strings.TrimSpace(l)
		}
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		for range k.lines {
		}
	})
	k.say(`{"id":1,"method":"hello","params":{"protocol":2}}`)
	k.hears(`{"id":1,"result":{`)
	return k
}

func (k *talk) say(line string) { _, _ = io.WriteString(k.in, line+"\n") }

// hears waits for a line that has want in it.
func (k *talk) hears(want string) string {
	k.t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case l, ok := <-k.lines:
			if strings.Contains(l, want) {
				return l
			}
			if !ok {
				k.t.Fatalf("the server ended without saying %s", want)
			}
			k.t.Logf("said: %.200s", l)
		case <-late:
			k.t.Fatalf("the server did not say %s", want)
		}
	}
}

func quietServer(p Parts, lookOnly bool) *Server {
	return NewServer(p, lookOnly, slog.New(slog.DiscardHandler))
}

func TestLinesThatAreWrong(t *testing.T) {
	k := converse(t, quietServer((&plain{}).parts(), false))
	for line, want := range map[string]string{
		`hello?`:                               `{"error":{"code":"bad_request","message":"the request is not understood`,
		`{"id":0,"method":"displays"}`:         `{"error":{"code":"bad_request","message":"a request needs an id above 0"}}`,
		`{"id":2,"method":"dance"}`:            `{"id":2,"error":{"code":"bad_request","message":"this helper does not know \"dance\""}}`,
		`{"id":3,"method":"move"} {}`:          `{"id":3,"error":{"code":"bad_request"`,
		`{"id":4,"method":"move","x":1}`:       `{"id":4,"error":{"code":"bad_request"`,
		`{"id":5,"method":"move","params":[]}`: `{"id":5,"error":{"code":"bad_request","message":"the parameters are not understood`,
		`{"id":6,"method":"elements"}`:         `{"id":6,"error":{"code":"unsupported","message":"elements does not work here: `,
		strings.Repeat("x", wire.MaxLine+5):    `{"error":{"code":"bad_request","message":"a request is longer than 32 MiB"}}`,
	} {
		k.say(line)
		k.hears(want)
	}
	k.say(`{"id":9,"method":"displays"}`)
	k.hears(`{"id":9,"result":{"layout":"one"`)
}

func TestHelloComesFirst(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"nothing said":  {`{"id":1,"method":"displays"}`, `{"id":1,"error":{"code":"bad_request","message":"the first request must be hello"}}`},
		"other version": {`{"id":1,"method":"hello","params":{"protocol":1}}` + "\n" + `{"id":2,"method":"displays"}`, `"code":"wrong_protocol"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := quietServer((&plain{}).parts(), false).Serve(t.Context(), strings.NewReader(tt.in), &out); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), tt.want) || strings.Contains(out.String(), "layout") {
				t.Errorf("got %s, want %s", out.String(), tt.want)
			}
		})
	}
}

func TestLookOnly(t *testing.T) {
	p := &plain{}
	k := converse(t, quietServer(p.parts(), true))
	for id, m := range []string{"move", "click", "button_down", "button_up", "drag", "scroll", "type", "paste", "key", "hold_key", "press", "set_value", "focus_window"} {
		params := `{}`
		if m == "move" {
			params = `{"point":{"x":-5,"y":0}}`
		}
		k.say(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, id+2, m, params))
		k.hears(fmt.Sprintf(`{"id":%d,"error":{"code":"look_only"`, id+2))
	}
	k.say(`{"id":90,"method":"capture","params":{"size":{"w":64,"h":48}}}`)
	k.hears(`{"id":90,"result":{"display":"1"`)
}

// TestStuckAct: an act that does not end is answered, and ends the helper: only
// a new process can help where the display does not answer.
func TestStuckAct(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	s := quietServer((&plain{}).parts(), false)
	s.slow = 20 * time.Millisecond
	var out bytes.Buffer
	var why error
	s.w, s.gone = &out, func(err error) { why = err }
	s.answer(t.Context(), wire.Request{ID: 7, Method: wire.Move}, of(act, 20*time.Millisecond, func(*Server, context.Context, none) (none, error) {
		<-stuck
		return none{}, nil
	}))
	if !errors.Is(why, errStuck) || !strings.Contains(out.String(), `{"id":7,"error":{"code":"timed_out","message":"move did not end within 20ms","sent":true}}`) {
		t.Errorf("the server ends for %v, having said %s", why, out.String())
	}
}

// TestStuckAtTheEnd: not even that keeps the helper from ending with its input.
func TestStuckAtTheEnd(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	s := quietServer((&plain{moved: func(wire.Point) { <-stuck }}).parts(), false)
	s.slow = 50 * time.Millisecond
	k := converse(t, s)
	k.say(`{"id":2,"method":"move","params":{"point":{"x":-5,"y":0}}}`)
	k.say(`{"id":3,"method":"cursor"}`)
	k.hears(`{"id":3,"result":`)
	_ = k.in.Close()
	k.hears(`{"id":2,"error":{"code":"timed_out"`)
	if err := <-k.ended; err != nil {
		t.Error(err)
	}
}

// TestPanic: it is the failure of its request alone, and nothing stays down.
func TestPanic(t *testing.T) {
	p := &plain{}
	k := converse(t, quietServer(p.parts(), false))
	k.say(`{"id":2,"method":"button_down","params":{"point":{"x":-5,"y":0}}}`)
	k.hears(`{"id":2,"result":{}}`)
	p.moved = func(wire.Point) { panic("a bug") }
	k.say(`{"id":3,"method":"move","params":{"point":{"x":-6,"y":0}}}`)
	k.hears(`{"id":3,"error":{"code":"failed","message":"move failed within the helper: a bug","sent":true}}`)
	if n := p.held(); n != 0 {
		t.Errorf("%d buttons are held after a panic", n)
	}
	p.moved = nil
	k.say(`{"id":4,"method":"move","params":{"point":{"x":-7,"y":0}}}`)
	k.hears(`{"id":4,"result":{}}`)
}

// TestEndReleases: at the end of input nothing stays down.
func TestEndReleases(t *testing.T) {
	p := &plain{}
	k := converse(t, quietServer(p.parts(), false))
	k.say(`{"id":2,"method":"button_down","params":{"point":{"x":-5,"y":0},"button":"right"}}`)
	k.hears(`{"id":2,"result":{}}`)
	_ = k.in.Close()
	if err := <-k.ended; err != nil || p.held() != 0 {
		t.Errorf("Serve = %v, and %d buttons are held", err, p.held())
	}
}

// TestNegativeOrigin: points left of and above the origin are as good as others.
func TestNegativeOrigin(t *testing.T) {
	p := &plain{}
	k := converse(t, quietServer(p.parts(), false))
	k.say(`{"id":2,"method":"drag","params":{"path":[{"x":-640,"y":-100},{"x":-1,"y":379}],"duration_ms":30,"layout":"one"}}`)
	k.hears(`{"id":2,"result":{}}`)
	if p.at != (wire.Point{X: -1, Y: 379}) {
		t.Errorf("the drag ended at %v", p.at)
	}
	k.say(`{"id":3,"method":"move","params":{"point":{"x":0,"y":0}}}`)
	k.hears(`{"id":3,"error":{"code":"out_of_bounds","message":"the point 0,0 is on no display"}}`)
	k.say(`{"id":4,"method":"capture","params":{"region":{"x":-10,"y":-100,"w":10,"h":10},"size":{"w":20,"h":20}}}`)
	var m struct{ Result wire.CaptureResult }
	if err := json.Unmarshal([]byte(k.hears(`{"id":4,"result":`)), &m); err != nil || m.Result.Box.X != -10 || m.Result.Scale != 2 {
		t.Errorf("the capture is %+v, %v", m.Result.Box, err)
	}
}

// FuzzServe: whatever the input, each request with an id gets one answer, each
// line that comes out is as the schema says, and the server ends with its input.
func FuzzServe(f *testing.F) {
	for _, s := range []string{
		`{"id":2,"method":"capture","params":{"region":{"x":-5,"y":0,"w":3,"h":3}}}`,
		`{"id":2,"method":"click","params":{"point":{"x":-5,"y":0},"modifiers":["ctrl"]}}`,
		`{"id":2,"method":"drag","params":{"path":[{"x":-5,"y":0},{"x":-9,"y":9}],"duration_ms":1}}` + "\n" + `{"id":3,"method":"pause"}`,
		`{"id":2,"method":"wait_change","params":{"timeout_ms":1}}`, `{"id":2,"method":"probe"}`, "\n\n{", `{"id":9223372036854775807,"method":""}`,
		`{"id":2,"method":"capture","params":{"marks":[{"box":{"x":-9999999999,"y":1,"w":9999999999,"h":-4},"label":"ä"}],"point":{"x":99999999999,"y":0}}}`,
		`{"id":2,"method":"type","params":{"text":"\ud800"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // for waits that were asked for
		defer cancel()
		var out bytes.Buffer
		hello := []byte(`{"id":1,"method":"hello","params":{"protocol":2}}` + "\n")
		r := io.MultiReader(bytes.NewReader(append(hello, in...)), blocked{ctx})
		if err := quietServer((&plain{}).parts(), false).Serve(ctx, r, &out); err != nil {
			t.Fatal(err)
		}
		for l := range bytes.Lines(out.Bytes()) {
			wiretest.Line(t, bytes.TrimSpace(l))
		}
	})
}

// A blocked reader has nothing more until its context ends.
type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) {
	select {
	case <-b.ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
	return 0, io.EOF
}

// TestNoCorner: a person who did without the corner is not paused by it.
func TestNoCorner(t *testing.T) {
	for _, without := range []bool{false, true} {
		s := quietServer((&plain{}).parts(), false)
		if _, err := s.greet(t.Context(), wire.HelloParams{Protocol: wire.Protocol, NoCorner: without}); err != nil {
			t.Fatal(err)
		}
		s.gate.last = time.Now()
		if s.gate.slammable() == without {
			t.Errorf("without the corner %v: it pauses %v", without, s.gate.slammable())
		}
	}
}

// TestForgottenButton: one that an agent leaves pressed comes up by itself.
func TestForgottenButton(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plain{}
		s := quietServer(p.parts(), false)
		if _, err := methods[wire.ButtonDown].run(t.Context(), s, []byte(`{"point":{"x":-5,"y":0}}`)); err != nil {
			t.Fatal(err)
		}
		<-time.After(longestHold - time.Second)
		if p.held() != 1 {
			t.Error("the button came up too soon")
		}
		<-time.After(2 * time.Second)
		if p.held() != 0 {
			t.Error("the button is still down")
		}
	})
}
