package chat

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/chat/chattest"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/look/looktest"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("LANG", "en_US.UTF-8") // the toolkit complains about C
	time.Local = time.UTC                // pictures show times
	goleak.VerifyTestMain(m)
}

// A bench is a window on a core of the test's own, in fake time. What other
// goroutines post is run on the test's goroutine, as a toolkit's loop would.
type bench struct {
	*View

	t     *testing.T
	core  *chattest.Core
	win   fyne.Window
	posts chan func()
	drawn int // how many posts were run
}

// onBench runs a test with a window in which the session s is open.
func onBench(t *testing.T, do func(*bench)) {
	t.Helper()
	inWindow(t, chattest.New(), "s", func(b *bench) {
		b.size(1080, 720)
		do(b)
	})
}

func inWindow(t *testing.T, core *chattest.Core, session string, do func(*bench)) {
	t.Helper()
	looktest.Language(t, "en_US.UTF-8")
	synctest.Test(t, func(t *testing.T) {
		a := test.NewTempApp(t)
		looktest.SetTheme(a, theme.VariantLight)
		w := a.NewWindow("chat")
		defer w.Close()
		w.SetPadded(false)
		b := &bench{t: t, core: core, win: w, posts: make(chan func(), 10_000)}
		if session != "" {
			core.Add(control.Session{ID: session, Title: "A conversation", Workspace: "/home/u/Documents"}, "t0")
		}
		v, wait := Start(t.Context(), Options{Client: core.Client(), Window: w, Post: func(f func()) { b.posts <- f }, Home: "/home/u", Session: session, Locale: "en", Setup: func() {}})
		b.View = v
		b.settle()
		t.Cleanup(wait)             // t's context has ended then
		defer b.pass(2 * time.Hour) // the clock of the regular expressions, which tests share, ends by itself
		do(b)
	})
}

func (b *bench) size(w, h float32) {
	b.win.Resize(fyne.NewSize(w, h))
	b.settle()
}

// settle runs what is posted until nothing is left to do at this moment.
func (b *bench) settle() {
	for {
		synctest.Wait()
		select {
		case f := <-b.posts:
			b.drawn++
			f()
		default:
			return
		}
	}
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	<-time.After(d)
	b.settle()
}

// happens makes things happen in the open session, in the turn t, and lets them
// be drawn.
func (b *bench) happens(payloads ...agent.Payload) {
	for _, p := range payloads {
		b.core.Publish("s", "t", p)
	}
	b.pass(flushEvery)
}

// shown returns the widgets of one type that are on the screen.
func shown[W fyne.CanvasObject](b *bench) []W {
	var out []W
	looktest.Walk(b.content, func(o fyne.CanvasObject) {
		if w, ok := o.(W); ok {
			out = append(out, w)
		}
	})
	return out
}

// button returns the button with a text.
func (b *bench) button(text string) *look.Button {
	b.t.Helper()
	for _, x := range shown[*look.Button](b) {
		if x.Text == text {
			return x
		}
	}
	return nil
}

// click clicks where a button is, as a pointer does.
func (b *bench) click(text string) {
	b.t.Helper()
	x := b.button(text)
	if x == nil {
		b.t.Fatalf("there is no button %q", text)
	}
	test.Tap(x)
	b.settle()
}

func (b *bench) enter() {
	b.composer.input.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.settle()
}

// says reports whether a text is on the screen.
func (b *bench) says(text string) bool {
	for _, x := range shown[*look.Text](b) {
		if x.String() == text {
			return true
		}
	}
	return false
}
