package setup

import (
	"context"
	"strings"
	"sync/atomic"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// mostMemories is how many memories the page shows; a search finds the others.
const mostMemories = 100

// A memoryPage shows what is remembered, and what waits to be.
type memoryPage struct {
	*Window

	search atomic.Value // string: read where the core is asked
	held   []control.Memory
	list   control.MemoryList
	sheet  *sheet
}

func newMemoryPage(w *Window) *memoryPage {
	p := &memoryPage{Window: w}
	p.search.Store("")
	search := widget.NewEntry()
	search.SetPlaceHolder(look.L("Search what is remembered…"))
	search.OnChanged = func(text string) {
		p.search.Store(strings.TrimSpace(text))
		if p.shown {
			p.look()
		}
	}
	p.sheet = newSheet(look.L("Memory"), look.L("What Hobkin knows about you and your work, with where it comes from. You can change all of it, and take every change back."), search,
		look.Wrap(8, look.NewButton(look.L("Remember something…"), look.ButtonAccent, func() { p.form(control.Memory{}) })))
	return p
}

// words are what is searched for; empty shows all.
func (p *memoryPage) words() string { return p.search.Load().(string) }

func (*memoryPage) title() say.Phrase { return say.P("Memory") }

func (p *memoryPage) object() fyne.CanvasObject { return p.sheet.root }

func (p *memoryPage) ask(ctx context.Context) func() {
	held, list, err := p.read(ctx)
	return func() { p.set(held, list, err) }
}

func (p *memoryPage) read(ctx context.Context) (held, list control.MemoryList, err error) {
	if list, err = p.opts.Client.Memories(ctx, control.MemoryQuery{Search: p.words(), Limit: mostMemories}); err != nil || list.Held == 0 {
		return held, list, err
	}
	held, err = p.opts.Client.Memories(ctx, control.MemoryQuery{State: "held", Limit: mostMemories})
	return held, list, err
}

func (p *memoryPage) set(held, list control.MemoryList, err error) {
	if err == nil {
		p.held, p.list = held.Memories, list
	}
	cards := make([]fyne.CanvasObject, 0, len(p.held)+len(p.list.Memories))
	for _, group := range [][]control.Memory{p.held, p.list.Memories} {
		for _, m := range group {
			status, mood := MemoryStatus(m)
			cards = append(cards, card(m.Value, look.Say(MemoryAbout(m)), look.Say(status), mood, p.buttons(m)...))
		}
	}
	none := look.L("Nothing is remembered yet. Say for example: remember that I like short answers")
	if p.words() != "" {
		none = look.L("Nothing found")
	}
	p.sheet.show(cards, true, err, none)
}

func (p *memoryPage) buttons(m control.Memory) []fyne.CanvasObject {
	c := p.opts.Client
	one := func(text string, kind look.ButtonKind, ask func(context.Context, string) (control.Memory, error)) fyne.CanvasObject {
		return look.NewButton(text, kind, func() {
			p.do(func(ctx context.Context) error { _, err := ask(ctx, m.ID); return err })
		})
	}
	history := look.NewButton(look.L("History"), look.ButtonPlain, func() { p.history(m) })
	if m.State == "held" {
		return []fyne.CanvasObject{one(look.L("Remember it"), look.ButtonPlain, c.ApproveMemory), history, one(look.L("Do not"), look.ButtonQuiet, c.DenyMemory)}
	}
	return []fyne.CanvasObject{
		look.NewButton(look.L("Edit…"), look.ButtonPlain, func() { p.form(m) }), history, one(look.L("Forget"), look.ButtonQuiet, c.ForgetMemory),
	}
}

// do asks the core for something, and for the list after it.
func (p *memoryPage) do(ask func(context.Context) error) {
	var held, list control.MemoryList
	p.run(func(ctx context.Context) (err error) {
		if err = ask(ctx); err == nil {
			held, list, err = p.read(ctx)
		}
		return err
	}, func(err error) { p.set(held, list, err) })
}

// history shows what became of a memory, with the way back.
func (p *memoryPage) history(m control.Memory) {
	var d control.MemoryDetail
	p.run(func(ctx context.Context) (err error) {
		d, err = p.opts.Client.Memory(ctx, m.ID)
		return err
	}, func(err error) {
		if err != nil {
			popup(p.win, m.Key, fault(err), closing())
			return
		}
		buttons := []*look.Button{closing()}
		if before, ok := Earlier(d); ok {
			buttons = append([]*look.Button{look.NewButton(look.L("Bring back the earlier one"), look.ButtonPlain, func() {
				p.do(func(ctx context.Context) error { _, err := p.opts.Client.RestoreMemory(ctx, before.ID); return err })
			})}, buttons...)
		}
		popup(p.win, m.Key, Versions(d), buttons...)
	})
}

// form makes or changes a memory.
func (p *memoryPage) form(m control.Memory) {
	title := look.L("Remember something")
	if m.ID != "" {
		title = look.L("Change what is remembered")
	}
	question{
		title: title, action: look.L("Remember it"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("What it is about"), value: m.Key, hint: "answers"}, {label: look.L("What to remember"), value: m.Value, lines: 3}},
		do: func(a []string, told func(string, error)) {
			change := control.MemoryChange{ID: m.ID, Key: strings.TrimSpace(a[0]), Value: strings.TrimSpace(a[1]), Category: m.Category}
			if change.Category == "" {
				change.Category = "preference"
			}
			if m.ID != "" {
				change.Category = ""
			}
			p.keep(change, told)
		},
	}.ask(p.win)
}

func (p *memoryPage) keep(change control.MemoryChange, told func(string, error)) {
	if change.Key == "" || change.Value == "" {
		told("", say.Err("Say what it is about, and what to remember"))
		return
	}
	var held, list control.MemoryList
	p.run(func(ctx context.Context) (err error) {
		if change.ID == "" {
			_, err = p.opts.Client.AddMemory(ctx, change)
		} else {
			_, err = p.opts.Client.EditMemory(ctx, change)
		}
		if err == nil {
			held, list, err = p.read(ctx)
		}
		return err
	}, func(err error) {
		if err == nil {
			p.set(held, list, nil)
		}
		told("", err)
	})
}
