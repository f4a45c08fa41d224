package chat

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/command/builtin"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/chat/chattest"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/look/looktest"
)

// everyCommand is what a window is told of: the built-in commands and one of a
// file.
func everyCommand(t *testing.T) control.Commands {
	t.Helper()
	table := command.NewTable(builtin.All(nil)...)
	table.Files = func() ([]command.File, []*command.Fault) {
		return []command.File{{Name: "weekly-report", Description: "Sum up the week from git", Hint: "[DAYS]", Body: "x"}}, nil
	}
	return table.List(t.Context(), command.Given{Channel: "desktop", Trust: capability.Operator})
}

func TestCompletion(t *testing.T) {
	c := Completion{All: []control.CommandEntry{{Name: "new"}, {Name: "sessions", Hint: "[WORDS]"}, {Name: "sandbox", Hint: "[PATH]"}}}
	shown := func() (names []string) {
		for _, e := range c.Shown {
			names = append(names, e.Name)
		}
		return names
	}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"hello", nil},
		{"/", []string{"new", "sessions", "sandbox"}},
		{"/s", []string{"sessions", "sandbox"}},
		{"/S", []string{"sessions", "sandbox"}},
		{"/new x", nil},
		{"//", nil},
		{"/usr/bin", nil},
		{"a /s", nil},
		{"/zz", nil},
		{"", nil},
	} {
		c.Type(tt.text)
		if got := shown(); !slices.Equal(got, tt.want) {
			t.Errorf("%q shows %v, want %v", tt.text, got, tt.want)
		}
	}
	c.Type("/s")
	c.Move(-1)
	if got := c.Pick(c.At); got != "/sandbox " || c.Whole() {
		t.Errorf("up from the first picks %q", got)
	}
	if c.Type("/sa"); c.At != 0 {
		t.Errorf("another name leaves the mark at %d", c.At)
	}
	c.Close("/sa")
	if c.Type("/sa"); c.Open() {
		t.Error("it opens again by itself")
	}
	if c.Type("/sand"); !c.Open() {
		t.Error("it does not open for another name")
	}
	if c.Type("/new"); !c.Whole() || c.Pick(0) != "/new" || c.Pick(7) != "/new" {
		t.Errorf("a whole name: %v, %q", c.Whole(), c.Pick(0))
	}
}

// onCompleting opens a window that knows the commands.
func onCompleting(t *testing.T, do func(*bench)) {
	t.Helper()
	core := chattest.New()
	core.Commands = everyCommand(t)
	inWindow(t, core, "s", func(b *bench) {
		b.size(1000, 640)
		do(b)
	})
}

func (b *bench) key(k fyne.KeyName) {
	b.composer.input.TypedKey(&fyne.KeyEvent{Name: k})
	b.settle()
}

// offers are the commands that are listed above the input.
func (b *bench) offers() (names []string) {
	if !b.completer.panel.Visible() {
		return nil
	}
	for _, e := range b.completion.Shown {
		names = append(names, e.Name)
	}
	return names
}

// TestCompletionByKeys completes with the keyboard alone: the first Enter takes
// the name, the second gives the command.
func TestCompletionByKeys(t *testing.T) {
	onCompleting(t, func(b *bench) {
		b.core.OnCommand = func(control.CommandRequest) (control.CommandReply, error) {
			return command.Reply{Parts: []command.Part{{Text: "done"}}}, nil
		}
		in := b.composer.input
		test.Type(in, "/un")
		b.settle()
		if got := b.offers(); !slices.Equal(got, []string{"undo", "background"}) {
			t.Fatalf("listed %v", got)
		}
		b.key(fyne.KeyReturn)
		if in.Text != "/undo " || b.offers() != nil || len(b.core.Calls(control.MethodCommand)) > 0 {
			t.Fatalf("the first Enter gives %q, lists %v and sent %q", in.Text, b.offers(), b.core.Calls(control.MethodCommand))
		}
		test.Type(in, "a.txt")
		b.key(fyne.KeyReturn)
		want := `{"session":"s","text":"/undo a.txt","channel":"desktop","attended":true,"locale":"en","conversation":"window"}`
		if got := b.core.Calls(control.MethodCommand); !slices.Equal(got, []string{want}) {
			t.Errorf("gave %q", got)
		}
		if !strings.Contains(b.model.Rows[len(b.model.Rows)-1].Text, "done") || in.Text != "" {
			t.Errorf("shows %+v; the input has %q", b.model.Rows[len(b.model.Rows)-1], in.Text)
		}
		if b.model.State() != control.StateReady || len(b.core.Calls(control.MethodSend)) > 0 {
			t.Error("a command became a message")
		}
		test.Type(in, "/s")
		b.key(fyne.KeyDown)
		b.key(fyne.KeyDown)
		b.key(fyne.KeyUp)
		b.key(fyne.KeyTab)
		if in.Text != "/stop" {
			t.Errorf("Tab takes %q", in.Text)
		}
		in.SetText("/re")
		b.key(fyne.KeyEscape)
		if b.offers() != nil || in.Text != "/re" || len(b.core.Calls(control.MethodStop)) > 0 {
			t.Errorf("Escape leaves %v listed and %q", b.offers(), in.Text)
		}
	})
}

// TestCompletionByPointer takes a command with a click, also one that must be
// scrolled to, and puts the cursor behind it.
func TestCompletionByPointer(t *testing.T) {
	onCompleting(t, func(b *bench) {
		in := b.composer.input
		test.Type(in, "/")
		b.settle()
		if got := b.offers(); len(got) != len(b.core.Commands.Commands) {
			t.Fatalf("listed %v", got)
		}
		for range len(b.core.Commands.Commands) - 1 {
			b.key(fyne.KeyDown)
		}
		tap := b.completer.rows.Objects[len(b.completer.rows.Objects)-1].(*look.Tap)
		if y := tap.Position().Y - b.completer.scroll.Offset.Y; y < 0 || y+tap.Size().Height > b.completer.scroll.Size().Height+0.5 {
			t.Errorf("the last is at %v of %v", y, b.completer.scroll.Size().Height)
		}
		if got := tap.AccessibilityLabel(); got != "/weekly-report: Sum up the week from git" {
			t.Errorf("it is called %q", got)
		}
		test.Tap(tap)
		b.settle()
		if in.Text != "/weekly-report " || in.CursorColumn != len(in.Text) || b.canvas().Focused() != in || b.offers() != nil {
			t.Errorf("the input has %q with the cursor at %d; focus %T; listed %v", in.Text, in.CursorColumn, b.canvas().Focused(), b.offers())
		}
	})
}

// TestReplies does what replies of commands ask for.
func TestReplies(t *testing.T) {
	fresh, other := "", "other"
	for name, tt := range map[string]struct {
		reply control.CommandReply
		err   error
		check func(*bench) string
	}{
		"a table": {
			command.Reply{Parts: []command.Part{{Rows: &command.Rows{Head: []string{"Tool", "What it does"}, Rows: [][]string{{"file_read", "Reads"}}}}}},
			nil,
			func(b *bench) string {
				r := b.model.Rows[len(b.model.Rows)-1]
				if r.Kind != KindAside || r.Head != "/zz" || !strings.Contains(r.Text, "file\\_read") {
					return "it is not shown"
				}
				return ""
			},
		},
		"a new conversation": {command.Reply{Open: &fresh}, nil, func(b *bench) string { return differs(b.list.Open, "") }},
		"another one":        {command.Reply{Open: &other}, nil, func(b *bench) string { return differs(b.list.Open, "other") }},
		"a failure": {command.Reply{}, &control.Error{Message: "no command /zz", Try: "look at /help"}, func(b *bench) string {
			return differs(b.composer.input.Text+"|"+b.View.win.Try, "/zz|look at /help")
		}},
		"a turn of another conversation": {
			command.Reply{Sent: &command.Sent{Session: "other", From: 1}},
			nil,
			func(b *bench) string { return differs(b.list.Open, "other") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			onCompleting(t, func(b *bench) {
				b.core.Add(control.Session{ID: "other", Title: "Other"}, "t1")
				b.core.OnCommand = func(control.CommandRequest) (control.CommandReply, error) { return tt.reply, tt.err }
				b.composer.input.SetText("/zz")
				b.key(fyne.KeyReturn)
				b.pass(time.Second)
				if wrong := tt.check(b); wrong != "" {
					t.Error(wrong)
				}
			})
		})
	}
}

func differs(got, want string) string {
	if got == want {
		return ""
	}
	return "got " + got + ", want " + want
}

// TestModeOfANewConversation keeps what a command picked before there is a
// session.
func TestModeOfANewConversation(t *testing.T) {
	core := chattest.New()
	core.OnCommand = func(control.CommandRequest) (control.CommandReply, error) {
		return command.Reply{Mode: "plan", Model: "p/m"}, nil
	}
	inWindow(t, core, "", func(b *bench) {
		b.size(1000, 640)
		b.composer.input.SetText("/mode plan")
		b.key(fyne.KeyReturn)
		b.composer.input.SetText("hello")
		b.key(fyne.KeyReturn)
		b.pass(time.Second)
		if got := b.core.Calls(control.MethodSend); len(got) != 1 || !strings.Contains(got[0], `"mode":"plan","model":"p/m"`) {
			t.Errorf("sent %q", got)
		}
	})
}

// TestNoList holds that a window whose core lists no commands gives them all
// the same.
func TestNoList(t *testing.T) {
	core := chattest.New()
	core.Fail(control.MethodCommands, errors.New("gone"))
	inWindow(t, core, "s", func(b *bench) {
		b.size(1000, 640)
		test.Type(b.composer.input, "/help")
		b.key(fyne.KeyReturn)
		if got := b.core.Calls(control.MethodCommand); len(got) != 1 || !b.View.win.Problem.IsZero() {
			t.Errorf("gave %q, problem %q", got, b.View.win.Problem.Key)
		}
	})
}

// TestTheLineOfACommandIsShown holds that the person sees the line they wrote,
// not the text that was made of it, and gets it back with Up.
func TestTheLineOfACommandIsShown(t *testing.T) {
	onBench(t, func(b *bench) {
		b.happens(agent.InputMessage{Text: "Look over a.txt for bugs.", Command: "/review a.txt"}, agent.TurnCompleted{})
		if !b.says("/review a.txt") || b.model.LastSaid() != "/review a.txt" {
			t.Errorf("the row is %+v", b.model.Rows)
		}
	})
}

// TestSummariesAreTranslated holds that every built-in command is explained in
// every language.
func TestSummariesAreTranslated(t *testing.T) {
	looktest.Language(t, "de_DE.UTF-8")
	for _, e := range everyCommand(t).Commands {
		if e.Source == command.SourceBuiltin && look.Foreign(e.Summary) == e.Summary {
			t.Errorf("/%s: %q has no German", e.Name, e.Summary)
		}
	}
}

// TestCommandPictures holds how the list of commands and an answer look.
func TestCommandPictures(t *testing.T) {
	said := []agent.Payload{agent.InputMessage{Text: "Look over main.go.", Command: "/review main.go"}, agent.OutputCompleted{Text: "It is fine."}, agent.TurnCompleted{}}
	answer := command.Reply{Parts: []command.Part{
		command.Sentence("The sandbox is {{.Sandbox}}, and the folder of the conversation is {{.Path}}.", "Sandbox", "standard", "Path", "/home/u/my_documents"),
		{Rows: &command.Rows{Head: []string{"Folder", "Granted by", "When"}, Rows: [][]string{{"/home/u/Pictures", "owner", "2026-11-30 15:00"}}}},
	}}
	for name, how := range looks {
		t.Run("completion-"+name, func(t *testing.T) {
			drawScene(t, said, how, func(b *bench) {
				b.composer.input.SetText("/")
				b.settle()
				b.key(fyne.KeyDown)
				looktest.Golden(t, b.win.Canvas(), "completion-"+name)
			})
		})
		t.Run("reply-"+name, func(t *testing.T) {
			drawScene(t, said, how, func(b *bench) {
				b.model.Aside("/sandbox", answer.Markdown(speak))
				b.sync()
				b.settle()
				looktest.Golden(t, b.win.Canvas(), "reply-"+name)
			})
		})
	}
}
