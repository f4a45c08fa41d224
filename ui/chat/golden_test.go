package chat

import (
	"encoding/json"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/chat/chattest"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/look/looktest"
)

// scenes are what the golden pictures show, by name.
var scenes = map[string][]agent.Payload{
	"approval": {
		agent.InputMessage{Text: "Rename the invoices by date and fix the total in summary.csv"},
		agent.TurnStarted{Provider: "offline", Model: "hobkin", Mode: "ask"},
		agent.ModelGeneration{Usage: provider.Usage{Input: 900, Output: 60}, CostUSD: 0.04},
		agent.OutputCompleted{Text: "I found 14 invoices. Two have no date in the name; I read it from the PDF."},
		agent.ToolStarted{Call: "1", Tool: "glob_search", Title: "Find files", Summary: "invoices/**/*.pdf", Args: json.RawMessage(`{}`)},
		agent.ToolCompleted{Call: "1", Tool: "glob_search", Summary: "14 found", DurationMS: 100},
		agent.ToolStarted{Call: "c1", Tool: "file_edit", Title: "Edit file", Summary: "summary.csv", Args: json.RawMessage(`{}`)},
		asked,
	},
	"markdown": {
		agent.InputMessage{Text: "Show me\nall of it"},
		agent.OutputCompleted{Text: "## A heading\n\nSome *text*, **bold**, `code` and a [link](https://example.org).\n\n1. One\n   - nested\n- [x] done\n\n> A quote.\n\n|Name|Amount|\n|-|-:|\n|Rent|1.240,50|\n\n```go\n// Add adds.\nfunc Add(a, b int) int { return a + 42 }\n```"},
		agent.ToolStarted{Call: "p", Tool: "todo_write", Title: "Write the plan", Args: json.RawMessage(`{"items":[{"text":"Find the invoices","status":"done"},{"text":"Rename them","status":"in_progress"},{"text":"Fix the total"}]}`)},
		agent.ToolCompleted{Call: "p", Tool: "todo_write", Summary: "3 steps", DurationMS: 10},
		agent.ContextCompacted{Before: 7000, After: 2000},
		agent.TurnFailed{Message: "The key was refused.", Try: "hobkin secrets set anthropic"},
	},
	"command": {
		agent.InputMessage{Text: "Clean up"},
		agent.ToolStarted{Call: "4", Tool: "shell", Title: "Run command", Summary: "go test ./...", Args: json.RawMessage(`{}`)},
		agent.ApprovalRequested{
			ID: "a2", Call: "4", Tool: "shell", Title: "Run command", Rule: "allow shell: go test *", Reason: "rm is not on the list of safe commands",
			Commands: []string{"go test ./...", "rm -rf build"},
			Preview: capability.Preview{
				Question: "Run this command?", Shell: "go test ./... && rm -rf build", Dir: "/home/u/Documents", Destructive: true, Warnings: []string{"rm -r removes a whole folder"},
			},
		},
		agent.QuestionAsked{ID: "q", Questions: []agent.Question{{ID: "1", Kind: "choice", Question: "Which currency?", Options: []string{"Euro", "Dollar"}}}},
	},
	"empty": nil,
}

type look1 struct {
	language string
	variant  fyne.ThemeVariant
	scale    float32
	size     fyne.Size
}

// looks are the ways in which each scene is drawn, by name. At 200 % the window
// is narrow, as on a small screen.
var looks = map[string]look1{
	"light":    {"en_US.UTF-8", theme.VariantLight, 1, fyne.NewSize(1000, 640)},
	"dark":     {"en_US.UTF-8", theme.VariantDark, 1, fyne.NewSize(1000, 640)},
	"light-2x": {"en_US.UTF-8", theme.VariantLight, 2, fyne.NewSize(620, 520)},
	"dark-2x":  {"en_US.UTF-8", theme.VariantDark, 2, fyne.NewSize(620, 520)},
	"de":       {"de_DE.UTF-8", theme.VariantLight, 1, fyne.NewSize(1000, 640)},
	"de-2x":    {"de_DE.UTF-8", theme.VariantDark, 2, fyne.NewSize(620, 520)},
}

func TestPictures(t *testing.T) {
	for scene, events := range scenes {
		for name, how := range looks {
			t.Run(scene+"-"+name, func(t *testing.T) {
				drawScene(t, events, how, func(b *bench) {
					looktest.Golden(t, b.win.Canvas(), scene+"-"+name)
				})
			})
		}
	}
}

func drawScene(t *testing.T, events []agent.Payload, how look1, do func(*bench)) {
	t.Helper()
	core := chattest.New()
	core.Commands = everyCommand(t)
	core.Now = func() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }
	core.Add(control.Session{ID: "w", Title: "Weekly report from git"}, "w", agent.InputMessage{}, agent.TurnCompleted{})
	core.Add(control.Session{ID: "c", Title: "Compare two contracts", Pinned: true, Messages: 2, Updated: time.Date(1999, 12, 31, 9, 0, 0, 0, time.UTC)}, "c")
	core.Add(control.Session{ID: "s", Title: "Tidy the invoices folder", Workspace: "/home/u/Documents"}, "t", events...)
	inLanguage(t, core, how, func(b *bench) {
		b.pass(time.Second)
		b.canvas().Unfocus() // a cursor that blinks is another picture each time
		do(b)
	})
}

func inLanguage(t *testing.T, core *chattest.Core, how look1, do func(*bench)) {
	t.Helper()
	session := "s"
	if core.Empty("s") {
		session = ""
	}
	inWindow(t, core, "", func(b *bench) {
		looktest.Language(t, how.language)
		looktest.SetTheme(fyne.CurrentApp(), how.variant)
		b.canvas().(software.WindowlessCanvas).SetScale(how.scale)
		b.again(session)
		b.size(how.size.Width, how.size.Height)
		do(b)
	})
}

// again builds the window anew, in the language that is now set.
func (b *bench) again(session string) {
	b.t.Helper()
	ctx := b.t.Context()
	v, wait := Start(ctx, Options{Client: b.core.Client(), Window: b.win, Post: func(f func()) { b.posts <- f }, Home: "/home/u", Session: session, Setup: func() {}})
	b.t.Cleanup(wait)
	b.View = v
	b.settle()
}

// TestNothingIsCut holds that words keep the room they need, in every language
// and in a narrow window: buttons and labels are at least as wide as their text.
func TestNothingIsCut(t *testing.T) {
	for _, language := range []string{"en_US.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ja_JP.UTF-8", "zh_CN.UTF-8"} {
		for name, events := range scenes {
			t.Run(language+"/"+name, func(t *testing.T) {
				drawScene(t, events, look1{language, theme.VariantLight, 1, fyne.NewSize(400, 500)}, func(b *bench) {
					for _, w := range shown[*look.Button](b) {
						whole(t, b, w, w.Text)
					}
					for _, w := range shown[*look.Text](b) {
						if w.NeverCut() {
							whole(t, b, w, w.String())
						}
					}
				})
			})
		}
	}
}

func whole(t *testing.T, b *bench, o fyne.CanvasObject, text string) {
	t.Helper()
	if o.Size().Width+0.5 < o.MinSize().Width || o.Size().Height+0.5 < o.MinSize().Height {
		t.Errorf("%q has %v of the %v it needs", text, o.Size(), o.MinSize())
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	if right := at.X + o.Size().Width; right > b.win.Canvas().Size().Width+0.5 {
		t.Errorf("%q ends at %v, outside the window", text, right)
	}
}
