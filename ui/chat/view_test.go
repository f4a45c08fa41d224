package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/approve"
	"github.com/hobkin/hobkin/ui/chat/chattest"
)

var asked = agent.ApprovalRequested{
	ID: "a1", Call: "c1", Tool: "file_edit", Title: "Edit file", Fingerprint: "f1", Rule: "allow file_edit: ~/Documents/**", Risk: "low",
	Preview: capability.Preview{Question: "Change a file?", Summary: "summary.csv in ~/Documents · 1 line", Diff: "--- a/summary.csv\n+++ b/summary.csv\n@@ -1 +1 @@\n-Total;;1.204,50\n+Total;;1.240,50\n"},
}

func TestTypeAndSend(t *testing.T) {
	inWindow(t, chattest.New(), "", func(b *bench) {
		b.size(1080, 720)
		test.Type(b.composer.input, "hello")
		b.enter()
		b.pass(time.Second)
		want := `{"text":"hello","channel":"desktop","attended":true,"locale":"en"}`
		if got := b.core.Calls(control.MethodSend); !slices.Equal(got, []string{want}) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if !b.says("hello") || b.composer.input.Text != "" {
			t.Errorf("bubble shown: %v; input: %q", b.says("hello"), b.composer.input.Text)
		}
		if b.list.Open != "session-1" || len(b.list.Items) != 1 {
			t.Errorf("open %q, list %v; want the new session", b.list.Open, b.list.Items)
		}
	})
}

func TestEnterAndShiftEnter(t *testing.T) {
	onBench(t, func(b *bench) {
		in := b.composer.input
		test.Type(in, "one")
		in.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		b.enter()
		in.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		test.Type(in, "two")
		if in.Text != "one\ntwo" || len(b.core.Calls(control.MethodSend)) != 0 {
			t.Errorf("text %q, %d sent; want two lines and nothing sent", in.Text, len(b.core.Calls(control.MethodSend)))
		}
		b.enter()
		if len(b.core.Calls(control.MethodSend)) != 1 {
			t.Error("Enter did not send")
		}
		b.enter()
		if len(b.core.Calls(control.MethodSend)) != 1 {
			t.Error("Enter sent nothing as a message")
		}
	})
}

func TestUpEditsTheLastMessage(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "first"}, agent.TurnCompleted{}, agent.InputMessage{Text: "second"}, agent.TurnCompleted{})
		up := &fyne.KeyEvent{Name: fyne.KeyUp}
		in := b.composer.input
		in.TypedKey(up)
		if in.Text != "second" {
			t.Errorf("input = %q, want the last message", in.Text)
		}
		test.Type(in, "!")
		in.TypedKey(up)
		if in.Text != "second!" {
			t.Errorf("input = %q: Up replaced what was written", in.Text)
		}
	})
}

func TestApproval(t *testing.T) {
	answer := func(d string) []string {
		return []string{`{"id":"a1","fingerprint":"f1","decision":"` + d + `","by":"window"}`}
	}
	for name, tt := range map[string]struct {
		do   func(*bench)
		want []string // answers
		gone bool     // the card
	}{
		"a click at once does nothing":    {func(b *bench) { b.click("Allow once") }, nil, false},
		"nor does one a little later":     {func(b *bench) { b.pass(approve.Quiet - flushEvery - 1); b.click("Deny") }, nil, false},
		"allow once":                      {func(b *bench) { b.pass(approve.Quiet); b.click("Allow once") }, answer("once"), true},
		"for the session":                 {func(b *bench) { b.pass(approve.Quiet); b.click("Allow for this session") }, answer("session"), true},
		"deny":                            {func(b *bench) { b.pass(approve.Quiet); b.click("Deny") }, answer("deny"), true},
		"Enter in the input agrees never": {func(b *bench) { b.pass(time.Minute); b.enter() }, nil, false},
		"always shows the rule":           {func(b *bench) { b.pass(approve.Quiet); b.click("Always…") }, nil, false},
		"always, too quick":               {func(b *bench) { b.pass(approve.Quiet); b.click("Always…"); b.click("Always allow this") }, nil, false},
		"always": {
			func(b *bench) {
				b.pass(approve.Quiet)
				b.click("Always…")
				b.pass(approve.Quiet)
				b.click("Always allow this")
			}, answer("always"), true,
		},
		"always, and back": {
			func(b *bench) {
				b.pass(approve.Quiet)
				b.click("Always…")
				b.click("Back")
				b.pass(approve.Quiet)
				b.click("Allow once")
			}, answer("once"), true,
		},
		"by the keyboard": {
			func(b *bench) {
				b.pass(approve.Quiet)
				b.win.Canvas().Focus(b.button("Deny"))
				b.button("Deny").TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
				b.settle()
			}, answer("deny"), true,
		},
		"answered elsewhere": {
			func(b *bench) { b.happens(agent.ApprovalResolved{ID: "a1", Call: "c1", Decision: "once"}) }, nil, true,
		},
		"the window came to the front": {
			func(b *bench) { b.pass(time.Minute); b.Front(); b.click("Allow once") }, nil, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBench(t, func(b *bench) {
				b.happens(agent.InputMessage{Text: "do"}, started("c1"), asked)
				tt.do(b)
				b.pass(flushEvery)
				if got := b.core.Calls(control.MethodAnswer); !slices.Equal(got, tt.want) {
					t.Errorf("answers %q, want %q", got, tt.want)
				}
				if gone := len(shown[*approve.Card](b)) == 0; gone != tt.gone {
					t.Errorf("the card is gone: %v, want %v", gone, tt.gone)
				}
			})
		})
	}
}

func TestApprovalThatFailsSaysSo(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "do"}, started("c1"), asked)
		b.core.Fail(control.MethodAnswer, &control.Error{Message: "the request has changed"})
		b.pass(approve.Quiet)
		b.click("Allow once")
		if !b.says("The request has changed") {
			t.Error("the card does not say why it was not taken")
		}
		b.core.Fail(control.MethodAnswer, nil)
		b.pass(approve.Quiet)
		b.click("Allow once")
		b.pass(flushEvery)
		if len(shown[*approve.Card](b)) != 0 {
			t.Error("the card stays after the second try")
		}
	})
}

// TestApprovalThatMoves holds that a click meant for what stood there before
// does not answer: what grows above a card pushes it away.
func TestApprovalThatMoves(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "do"}, started("c1"), asked)
		b.pass(time.Minute)
		row := b.model.Rows[1]
		row.Open = true
		row.Version++
		b.sync()
		b.click("Allow once")
		if got := b.core.Calls(control.MethodAnswer); len(got) != 0 {
			t.Errorf("answered %q right after the card moved", got)
		}
	})
}

func TestForms(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "do"}, agent.QuestionAsked{ID: "q1", Questions: []agent.Question{
			{ID: "1", Kind: "choice", Question: "Which?", Options: []string{"Euro", "Dollar"}},
			{ID: "2", Kind: "secret", Question: "Password?"},
		}})
		test.Tap(b.button("Send answer"))
		if b.settle(); len(b.core.Calls(control.MethodAnswerQuestion)) != 0 {
			t.Error("an empty form was sent")
		}
		shown[*widget.RadioGroup](b)[0].SetSelected("Dollar")
		for _, e := range shown[*widget.Entry](b) {
			if e.Password {
				e.SetText("secret")
			}
		}
		b.click("Send answer")
		b.pass(flushEvery)
		want := []string{`{"id":"q1","answers":{"1":["Dollar"],"2":["secret"]},"by":"window"}`}
		if got := b.core.Calls(control.MethodAnswerQuestion); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if b.model.Waiting() {
			t.Error("the form stays after it was answered")
		}
	})
}

func TestStop(t *testing.T) {
	onBench(t, func(b *bench) {
		if b.button("Stop") != nil {
			t.Error("there is a stop button while nothing runs")
		}
		b.happens(agent.InputMessage{Text: "do"})
		b.click("Stop")
		if got := b.core.Calls(control.MethodStop); !slices.Equal(got, []string{`{"id":"s"}`}) {
			t.Errorf("asked to stop: %q", got)
		}
		b.happens(agent.TurnCancelled{})
		if b.button("Stop") != nil || !b.says("Stopped") {
			t.Error("the end of the turn is not shown")
		}
	})
}

func TestSendFails(t *testing.T) {
	onBench(t, func(b *bench) {
		b.core.Fail(control.MethodSend, &control.Error{Message: "the disk is full", Try: "make room"})
		test.Type(b.composer.input, "hello")
		b.enter()
		if b.composer.input.Text != "hello" || !b.says("The disk is full") || !b.says("Try: make room") {
			t.Errorf("input %q; the failure is shown: %v", b.composer.input.Text, b.says("The disk is full"))
		}
		b.core.Fail(control.MethodSend, nil)
		b.enter()
		if b.composer.input.Text != "" || b.says("The disk is full") {
			t.Error("the second try did not go through")
		}
	})
}

func TestToolCardOpens(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "do"}, started("c1"),
			agent.ToolCompleted{Call: "c1", Tool: "file_edit", Summary: "1 line", Text: "Edited. Change c-9, file_undo takes it back.", Diff: "+x", DurationMS: 140})
		if !b.says("1.txt · 1 line") && !b.says("c1.txt · 1 line") {
			t.Error("the card's line is not there")
		}
		if b.button("Take back this change") != nil {
			t.Error("a closed card shows its details")
		}
		row := b.model.Rows[1]
		row.Open = true
		row.Version++
		b.sync()
		b.click("Take back this change")
		want := []string{`{"session":"s","path":"c-9","workspace":"/home/u/Documents"}`}
		if got := b.core.Calls(control.MethodUndo); !slices.Equal(got, want) {
			t.Errorf("undo %q, want %q", got, want)
		}
		if !b.says("taken back") {
			t.Error("the card does not say that it was taken back")
		}
	})
}

// many fills the session with n messages.
func many(b *bench, n int) {
	for i := range n / 4 {
		turn := fmt.Sprint("m", i)
		for _, p := range []agent.Payload{
			agent.InputMessage{Text: fmt.Sprintf("Message %d", i)},
			agent.OutputCompleted{Text: fmt.Sprintf("Answer **%d**\n\n- one\n- two\n\n```go\nfunc f() {}\n```", i)},
			started(turn),
			agent.ToolCompleted{Call: turn, Summary: "3 lines"},
			agent.TurnCompleted{},
		} {
			b.core.Publish("s", turn, p)
		}
	}
	b.pass(time.Second)
}

func TestFollowsTheEndOnlyWhenThere(t *testing.T) {
	onBench(t, func(b *bench) {
		many(b, 200)
		if !b.flow.atEnd() {
			t.Fatal("a session does not open at its end")
		}
		b.happens(agent.InputMessage{Text: "more"}, agent.OutputDelta{Text: strings.Repeat("text\n\n", 40)})
		if !b.flow.atEnd() {
			t.Error("the end is not followed")
		}
		b.flow.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 900)})
		at := b.flow.scroll.Offset
		b.happens(agent.OutputDelta{Text: strings.Repeat("text\n\n", 40)})
		if b.flow.scroll.Offset != at {
			t.Errorf("the view moved from %v to %v while a person reads above", at, b.flow.scroll.Offset)
		}
		if b.button("To the end") == nil {
			t.Fatal("nothing leads to the end")
		}
		if b.click("To the end"); !b.flow.atEnd() || b.button("To the end") != nil {
			t.Error("the end was not reached")
		}
	})
}

// TestManyMessages holds that a long conversation costs no more than a short
// one: only what is near the view has widgets.
func TestManyMessages(t *testing.T) {
	onBench(t, func(b *bench) {
		many(b, 2000)
		if len(b.model.Rows) < 2000 {
			t.Fatalf("%d rows", len(b.model.Rows))
		}
		for range 60 {
			b.flow.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 700)})
			if n := len(b.flow.body.objects); n > 60 || n == 0 {
				t.Fatalf("%d rows have widgets, want few", n)
			}
		}
		b.flow.scroll.ScrollToTop()
		b.flow.update(false)
		if !b.says("Message 0") {
			t.Error("the first message is not at the top")
		}
	})
}

// TestStream holds that 200 tokens a second are drawn at most ten times a
// second, and all of them.
func TestStream(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "write"})
		b.drawn = 0
		const seconds, rate = 5, 200
		for range seconds * rate {
			b.core.Publish("s", "t", agent.OutputDelta{Text: "word "})
			b.pass(time.Second / rate)
		}
		if b.drawn > seconds*11 {
			t.Errorf("drawn %d times in %d s", b.drawn, seconds)
		}
		if got := len(b.model.Rows[1].Text); got < (seconds*rate-rate/5)*len("word ") {
			t.Errorf("only %d bytes are shown", got)
		}
	})
}

func TestReconnects(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "do"}, agent.OutputDelta{Text: "ha"})
		away := errors.New("connection refused")
		for _, m := range []string{"watch", control.MethodInfo, control.MethodModels, control.MethodSessions} {
			b.core.Fail(m, away)
		}
		b.core.Break(errors.New("connection reset"))
		b.pass(2 * time.Second)
		if !b.says("Hobkin's background process does not answer") {
			t.Error("nothing says that the core is gone")
		}
		for _, m := range []string{"watch", control.MethodInfo, control.MethodModels, control.MethodSessions} {
			b.core.Fail(m, nil)
		}
		b.core.Publish("s", "t", agent.OutputCompleted{Text: "half and whole"})
		b.core.Publish("s", "t", agent.TurnCompleted{})
		b.pass(10 * time.Second)
		want := []string{"person: do", "answer: half and whole"}
		if got := lines(b.model); !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		if !b.says("Ready") {
			t.Error("the window still says that the core is gone")
		}
	})
}

func TestSessions(t *testing.T) {
	core := chattest.New()
	core.Add(control.Session{ID: "x", Title: "Other"}, "t", agent.InputMessage{Text: "in the other"}, agent.TurnCompleted{})
	inWindow(t, core, "s", func(b *bench) {
		b.size(1080, 720)
		b.glue.open("x")
		b.pass(time.Second)
		if !b.says("in the other") {
			t.Fatal("the other session is not shown")
		}
		b.core.Publish("s", "t", agent.ApprovalRequested{ID: "a"})
		b.pass(time.Second)
		if !b.says("waiting for you") {
			t.Error("the list does not say that the first one waits")
		}
		b.glue.rename("x", "Renamed")
		b.glue.pin("x", true)
		b.settle()
		if !b.says("Renamed") || b.list.Items[0].ID != "x" {
			t.Errorf("list: %+v", b.list.Items)
		}
		b.glue.remove("x")
		b.settle()
		if b.says("Renamed") || !b.says("Deleted “Renamed”") || len(b.model.Rows) != 0 {
			t.Error("the deleted session is still there")
		}
		b.click("Bring back")
		if !b.says("Renamed") || len(b.core.Calls(control.MethodSessionRestore)) != 1 {
			t.Error("it was not brought back")
		}
		b.glue.remove("x")
		b.pass(restorable)
		if b.button("Bring back") != nil {
			t.Error("the bar stays for ever")
		}
	})
}

func TestSearch(t *testing.T) {
	core := chattest.New()
	core.Add(control.Session{ID: "x", Title: "Invoices"}, "t")
	inWindow(t, core, "s", func(b *bench) {
		b.size(1080, 720)
		for _, s := range []string{"i", "in", "inv"} {
			b.glue.search(s)
			b.pass(time.Millisecond)
		}
		before := len(b.core.Calls(control.MethodSessions))
		b.pass(time.Second)
		if n := len(b.core.Calls(control.MethodSessions)) - before; n != 1 {
			t.Errorf("%d searches for one word", n)
		}
		if !b.says("Invoices") || b.says("A conversation") {
			t.Error("the list does not show what was found")
		}
		b.glue.search("nothing like it")
		if b.pass(time.Second); !b.says("Nothing found") {
			t.Error("nothing says that nothing was found")
		}
	})
}

func TestPickers(t *testing.T) {
	onBench(t, func(b *bench) {
		b.click("Ask first")
		if len(b.win.Canvas().Overlays().List()) == 0 {
			t.Fatal("no list of modes")
		}
		b.glue.setMode("plan")
		b.glue.setModel("p/other")
		b.settle()
		want := []string{`{"id":"s","mode":"plan"}`, `{"id":"s","model":"p/other"}`}
		got := b.core.Calls(control.MethodSessionChange)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("changes %q, want %q", got, want)
		}
		if b.button("Plan") == nil || b.button("other") == nil {
			t.Error("the pickers do not show what was picked")
		}
	})
}

func TestDroppedFiles(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	onBench(t, func(b *bench) {
		b.glue.dropped([]fyne.URI{storage.NewFileURI(picture), storage.NewFileURI("/home/u/Documents/a/b.txt"), storage.NewFileURI("/etc/hosts")})
		b.settle()
		if b.composer.input.Text != "a/b.txt /etc/hosts" || b.button("a.png") == nil {
			t.Errorf("input %q, chip shown: %v", b.composer.input.Text, b.button("a.png") != nil)
		}
		if !b.glue.attachPasted("file://"+picture) || b.glue.attachPasted("some text") {
			t.Error("pasted files are not told from text")
		}
		b.settle()
		b.enter()
		var sent struct{ Images []json.RawMessage }
		if err := json.Unmarshal([]byte(b.core.Calls(control.MethodSend)[0]), &sent); err != nil || len(sent.Images) != 2 {
			t.Errorf("%d pictures were sent along (%v)", len(sent.Images), err)
		}
		if b.button("a.png") != nil {
			t.Error("the picture stays after it was sent")
		}
	})
}

// TestCursorRests holds that an idle window does not paint a blinking cursor
// for ever, and that typing goes into the input all the same.
func TestCursorRests(t *testing.T) {
	onBench(t, func(b *bench) {
		b.pass(restAfter / 2)
		test.Type(b.composer.input, "a")
		b.pass(restAfter/2 + time.Second)
		if b.canvas().Focused() == nil {
			t.Error("the cursor went while someone types")
		}
		b.pass(restAfter)
		if b.canvas().Focused() != nil {
			t.Error("the cursor blinks for ever")
		}
		test.TypeOnCanvas(b.canvas(), "b")
		if b.composer.input.Text != "ab" || b.canvas().Focused() == nil {
			t.Errorf("input %q after typing without a cursor", b.composer.input.Text)
		}
	})
}

func TestNarrowWindow(t *testing.T) {
	onBench(t, func(b *bench) {
		b.size(500, 600)
		if b.side.Visible() {
			t.Error("the list takes room in a narrow window")
		}
		b.root.toggle()
		if !b.side.Visible() {
			t.Error("the list cannot be shown in a narrow window")
		}
		b.size(1000, 600)
		if !b.side.Visible() || b.status.list.Visible() {
			t.Error("a wide window does not show the list")
		}
	})
}
