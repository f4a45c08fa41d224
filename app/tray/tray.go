// Package tray is Hobkin's icon and menu in the system tray.
//
// It draws a [View] and reports clicks; what they mean is decided by whoever
// runs it. On Linux it is a StatusNotifier item with a D-Bus menu, without a
// toolkit, so that the background process stays small; it registers again when
// a tray host comes back.
package tray

import (
	"context"
	"sync"

	"fyne.io/systray"

	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/control"
)

// A Click is what a person chose.
type Click string

// The clicks. OpenSession carries the session's id.
const (
	OpenChat    Click = "open_chat"
	OpenSession Click = "open_session"
	Stop        Click = "stop"
	Pause       Click = "computer_pause"
	Resume      Click = "computer_resume"
	StopUse     Click = "computer_stop" // the icon itself, while the screen is used
	Setup       Click = "setup"
	Doctor      Click = "doctor"
	Quit        Click = "quit"
)

// A View is what the tray shows.
type View struct {
	State  control.State
	Text   string   // the state in words: Working: "find TODO in core"
	Busy   bool     // something can be stopped
	Recent []Recent // newest first; at most [MaxRecent] are shown

	Computer bool // the screen may be used, so that it can be paused
	Paused   bool // its use
	Using    bool // it is used now: the icon is the button that stops it
}

// Same reports whether v shows the same as w, but for the recent sessions.
func (v View) Same(w View) bool {
	return v.State == w.State && v.Text == w.Text && v.Busy == w.Busy && v.Computer == w.Computer && v.Paused == w.Paused && v.Using == w.Using
}

// icon is the state whose picture is shown.
func (v View) icon() control.State {
	if v.Using {
		return control.StateUsing
	}
	return v.State
}

// Recent is a session in the menu.
type Recent struct{ ID, Title string }

// MaxRecent is how many sessions the menu lists.
const MaxRecent = 5

// A Tray is the icon. There is one a process: the library keeps it in package
// variables.
type Tray struct {
	words words.Words
	on    func(click Click, session string)
	icon  func(control.State) []byte

	mu     sync.Mutex
	recent [MaxRecent]string // session ids behind the rows
	rows   rows
	last   View
	drawn  bool
}

// rows are made once and then only renamed, hidden and disabled, so that
// nothing jumps under the pointer.
type rows struct {
	state, open, stop, pause, recentMenu, setup, doctor, quit *systray.MenuItem

	recent [MaxRecent]*systray.MenuItem
}

// Run shows the tray until ctx ends. It needs a session bus; without a tray
// host the icon appears when one starts. onReady is called once, when [Tray.Show]
// may be used; on is called on a goroutine of its own for each click. Texts of a
// [View] are in the language of w already.
func Run(ctx context.Context, w words.Words, icon func(control.State) []byte, on func(Click, string), onReady func(*Tray)) {
	t := &Tray{words: w, on: on, icon: icon}
	stop := context.AfterFunc(ctx, systray.Quit)
	defer stop()
	systray.Run(func() {
		t.build()
		t.Show(View{State: control.StateReady, Text: w.L("Ready")})
		onReady(t)
	}, nil)
}

func (t *Tray) build() {
	systray.SetTitle("Hobkin")
	systray.SetTooltip("Hobkin")
	systray.SetOnTapped(t.tapped)

	t.rows.state = systray.AddMenuItem(t.words.L("Ready"), "")
	t.rows.state.Disable()
	systray.AddSeparator()
	t.rows.open = t.row(t.words.L("Open chat"), OpenChat)
	t.rows.stop = t.row(t.words.L("Stop"), Stop)
	t.rows.pause = systray.AddMenuItem(t.pauseTitle(false), "")
	go t.follow(t.rows.pause, t.togglePause)
	t.rows.recentMenu = systray.AddMenuItem(t.words.L("Recent sessions"), "")
	for i := range t.rows.recent {
		item := t.rows.recentMenu.AddSubMenuItem("", "")
		item.Hide()
		t.rows.recent[i] = item
		go t.follow(item, func() { t.openRecent(i) })
	}
	systray.AddSeparator()
	t.rows.setup = t.row(t.words.L("Setup…"), Setup)
	t.rows.doctor = t.row(t.words.L("Doctor"), Doctor)
	t.rows.quit = t.row(t.words.L("Quit Hobkin"), Quit)
}

func (t *Tray) row(title string, click Click) *systray.MenuItem {
	item := systray.AddMenuItem(title, "")
	go t.follow(item, func() { t.on(click, "") })
	return item
}

// pauseTitle is the title of the row that pauses the use of the screen: one row,
// so that none jumps.
func (t *Tray) pauseTitle(paused bool) string {
	if paused {
		return t.words.L("Resume computer use")
	}
	return t.words.L("Pause computer use")
}

// tapped is a left click on the icon.
func (t *Tray) tapped() {
	t.mu.Lock()
	using := t.last.Using
	t.mu.Unlock()
	if using {
		t.on(StopUse, "")
		return
	}
	t.on(OpenChat, "")
}

func (t *Tray) togglePause() {
	t.mu.Lock()
	paused := t.last.Paused
	t.mu.Unlock()
	if paused {
		t.on(Resume, "")
		return
	}
	t.on(Pause, "")
}

// follow reports clicks on one row. It ends with the process: the library
// never closes the channel.
func (t *Tray) follow(item *systray.MenuItem, do func()) {
	for range item.ClickedCh {
		do()
	}
}

func (t *Tray) openRecent(i int) {
	t.mu.Lock()
	id := t.recent[i]
	t.mu.Unlock()
	if id != "" {
		t.on(OpenSession, id)
	}
}

// Show draws v; what has not changed is left alone.
func (t *Tray) Show(v View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.drawn || v.icon() != t.last.icon() {
		systray.SetIcon(t.icon(v.icon()))
	}
	if !t.drawn || v.Text != t.last.Text {
		t.rows.state.SetTitle(v.Text)
	}
	if !t.drawn || v.Text != t.last.Text || v.Using != t.last.Using {
		systray.SetTooltip(t.tooltip(v))
	}
	if !t.drawn || v.Busy != t.last.Busy {
		enable(t.rows.stop, v.Busy)
	}
	t.showPause(v)
	t.showRecent(v.Recent)
	t.last, t.drawn = v, true
}

// tooltip says what the icon means, and what a click does where that is not to
// open the chat.
func (t *Tray) tooltip(v View) string {
	text := v.Text
	if v.Using {
		text = t.words.L("{{.State}}. Click to stop", "State", text)
	}
	return "Hobkin: " + text
}

func (t *Tray) showPause(v View) {
	if !t.drawn || v.Paused != t.last.Paused {
		t.rows.pause.SetTitle(t.pauseTitle(v.Paused))
	}
	if !t.drawn || v.Computer != t.last.Computer {
		enable(t.rows.pause, v.Computer)
	}
}

func (t *Tray) showRecent(recent []Recent) {
	for i, item := range t.rows.recent {
		if i >= len(recent) {
			if t.recent[i] != "" {
				item.Hide()
			}
			t.recent[i] = ""
			continue
		}
		if !t.drawn || len(t.last.Recent) <= i || t.last.Recent[i] != recent[i] {
			item.SetTitle(recent[i].Title)
			item.Show()
		}
		t.recent[i] = recent[i].ID
	}
	if !t.drawn || (len(recent) == 0) != (len(t.last.Recent) == 0) {
		enable(t.rows.recentMenu, len(recent) > 0)
	}
}

func enable(item *systray.MenuItem, on bool) {
	if on {
		item.Enable()
	} else {
		item.Disable()
	}
}
