package tool

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/capability"
)

// status tells how the browser is. It starts nothing.
func (d *deed) status(context.Context) error {
	s := d.h.Settings()
	if !s.Enabled {
		d.out.said = "The browser is switched off in the settings."
		return nil
	}
	st := d.r.Status()
	var lines []string
	if st.Running {
		lines = append(lines, fmt.Sprintf("The browser runs: %s, profile %s, %s.", st.Product, st.Profile, windowed(st.Window || st.Attached)))
		if st.Memory > 0 {
			lines = append(lines, fmt.Sprintf("It takes %d MB.", st.Memory>>20))
		}
		lines = append(lines, st.Sandbox)
	} else {
		lines = append(lines, fmt.Sprintf("The browser of the profile %s does not run; it starts when a page is opened.", st.Profile))
		if b, err := chromium.Find(chromium.Search{Path: s.Path, Headless: !d.r.window}); d.out.Profile != Attached {
			if err != nil {
				return err
			}
			lines = append(lines, "Program: "+b.Path+".")
		}
	}
	if st.LastEnd != "" {
		lines = append(lines, "It last ended by itself: "+st.LastEnd+".")
	}
	d.out.said = strings.Join(lines, " ")
	d.listTabs()
	return nil
}

func windowed(window bool) string {
	if window {
		return "in a window"
	}
	return "without a window"
}

// doctor really starts a browser and reads a page of its own.
func (d *deed) doctor(ctx context.Context) error {
	t, err := d.h.Try(ctx)
	if err != nil {
		return err
	}
	d.out.said = fmt.Sprintf("The browser works: %s at %s showed its first page after %.1f s. %s", t.Product, t.Path, t.Took.Seconds(), t.Sandbox)
	return nil
}

// start starts the browser. With a window where there was none, its pages are
// opened again in the new one.
func (d *deed) start(ctx context.Context) error {
	if err := d.r.Start(ctx); err != nil {
		return err
	}
	d.h.mu.Lock()
	pages := d.r.before
	d.r.before = nil
	d.h.mu.Unlock()
	for _, address := range pages {
		t, _, err := d.r.Open(ctx, address)
		if err != nil {
			d.out.notes = append(d.out.notes, address+" could not be opened again: "+message(err))
			continue
		}
		d.took(t)
	}
	if d.in.Window && len(d.r.Tabs()) == 0 {
		if _, err := d.r.New(ctx); err != nil {
			return err
		}
	}
	st := d.r.Status()
	d.out.said = fmt.Sprintf("The browser runs: %s, profile %s, %s.", st.Product, st.Profile, windowed(st.Window || st.Attached))
	d.listTabs()
	return nil
}

func (d *deed) stop(ctx context.Context) error {
	if err := d.h.Stop(ctx, d.out.Profile); err != nil {
		return err
	}
	d.out.said, d.r = "The browser is closed. Cookies stay, tabs are gone.", nil
	return nil
}

// openTab opens an address in a tab of its own.
func (d *deed) openTab(ctx context.Context) error {
	t, a, err := d.open(ctx)
	if err != nil {
		if t != nil {
			_ = d.r.CloseTab(ctx, t.ID()) // an empty tab is of no use; the error matters
		}
		return err
	}
	if a.Download != nil {
		_, err := d.r.AwaitDownload(ctx, a.Download.ID)
		d.out.said = "The address is that of a file, which is downloaded."
		return errors.Join(err, d.r.CloseTab(ctx, t.ID()))
	}
	d.took(t)
	return d.arrived(ctx, "Opened.", a)
}

func (d *deed) open(ctx context.Context) (t *browser.Tab, a *browser.Arrival, err error) {
	a, err = d.within(ctx, func(ctx context.Context) (a *browser.Arrival, err error) {
		t, a, err = d.r.Open(ctx, whole(d.in.URL))
		return a, err
	})
	return t, a, err
}

func (d *deed) navigate(ctx context.Context) error {
	a, err := d.within(ctx, func(ctx context.Context) (*browser.Arrival, error) { return d.tab.Navigate(ctx, whole(d.in.URL)) })
	return d.came(ctx, "Opened.", a, err)
}

func (d *deed) back(ctx context.Context) error {
	a, err := d.within(ctx, d.tab.Back)
	if err == nil && a.URL == "about:blank" && !d.r.Attached() { // where every tab begins
		if _, err = d.tab.Forward(ctx); err == nil {
			err = browser.NoHistory.Becausef("the tab %s has no page to go back to", d.tab.ID())
		}
	}
	return d.came(ctx, "Went back.", a, err)
}

func (d *deed) forward(ctx context.Context) error {
	a, err := d.within(ctx, d.tab.Forward)
	return d.came(ctx, "Went forward.", a, err)
}

func (d *deed) reload(ctx context.Context) error {
	a, err := d.within(ctx, d.tab.Reload)
	return d.came(ctx, "Loaded again.", a, err)
}

// within goes somewhere in the time that the call gives to it, if it does.
func (d *deed) within(ctx context.Context, goes func(context.Context) (*browser.Arrival, error)) (*browser.Arrival, error) {
	limit := d.in.timeout(0)
	if limit == 0 {
		return goes(ctx)
	}
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := goes(short)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		err = browser.NavigationTimeout.Becausef("the page did not come within %v", limit)
	}
	return a, err
}

func (d *deed) came(ctx context.Context, how string, a *browser.Arrival, err error) error {
	if err != nil {
		return err
	}
	d.took(d.tab)
	return d.arrived(ctx, how, a)
}

// arrived tells where a navigation led.
func (d *deed) arrived(ctx context.Context, how string, a *browser.Arrival) error {
	if a.Download != nil {
		d.out.said = "The address is that of a file, which is downloaded; the tab stays where it was."
		_, err := d.r.AwaitDownload(ctx, a.Download.ID)
		return err
	}
	d.out.Status, d.moved = a.Status, true
	d.out.said = how
	if a.Status >= 400 {
		d.out.notes = append(d.out.notes, fmt.Sprintf("the server answered with status %d", a.Status))
	}
	if !a.Loaded && a.URL != "about:blank" {
		d.out.notes = append(d.out.notes, "some of the page is still loading")
	}
	return d.look(ctx)
}

// tabs lists what is open.
func (d *deed) tabs(ctx context.Context) error {
	d.out.said = count(len(d.r.Tabs()), "tab") + " open."
	d.listTabs()
	if !d.r.Attached() {
		return nil
	}
	own, err := d.r.OwnTabs(ctx)
	if err != nil {
		return err
	}
	lines := []string{d.out.text, "Open in the person's own browser, to be taken over with focus:"}
	for i, t := range own {
		lines = append(lines, fmt.Sprintf("o%d %s", i+1, titled(t.Title, t.URL)))
	}
	d.out.text = strings.TrimSpace(strings.Join(lines, "\n"))
	return nil
}

func (d *deed) listTabs() {
	var lines []string
	for _, t := range d.r.Tabs() {
		var line strings.Builder
		line.WriteString(t.ID + " " + titled(t.Title, t.URL))
		for _, mark := range []struct {
			on   bool
			word string
		}{{t.Active, "active"}, {t.Popup, "opened by a page"}, {t.Loading, "loading"}, {t.Crashed, "crashed"}, {t.Dialog != nil, "shows a dialog"}} {
			if mark.on {
				line.WriteString(" [" + mark.word + "]")
			}
		}
		lines = append(lines, line.String())
	}
	d.out.text, d.out.untrusted = strings.Join(lines, "\n"), len(lines) > 0
}

func (d *deed) focus(ctx context.Context) error {
	var t *browser.Tab
	var err error
	if n, ok := strings.CutPrefix(d.in.Tab, "o"); ok && d.r.Attached() {
		t, err = d.adopt(ctx, n)
	} else {
		t, err = d.r.Focus(ctx, d.in.Tab)
	}
	if err != nil {
		return err
	}
	d.took(t)
	d.out.said = "Went on to the tab " + t.ID() + "."
	return d.look(ctx)
}

// adopt takes over a tab of the person's own browser, by its place in the list.
func (d *deed) adopt(ctx context.Context, number string) (*browser.Tab, error) {
	own, err := d.r.OwnTabs(ctx)
	if err != nil {
		return nil, err
	}
	for i, t := range own {
		if number == strconv.Itoa(i+1) {
			return d.r.Adopt(ctx, t.ID)
		}
	}
	return nil, browser.NoTab.Becausef("there is no tab o%s in the person's own browser", number)
}

func (d *deed) closeTab(ctx context.Context) error {
	if err := d.r.CloseTab(ctx, d.in.Tab); err != nil {
		return err
	}
	d.out.said = "Closed the tab " + d.in.Tab + "."
	d.listTabs()
	return nil
}

// message is what an error says to a reader.
func message(err error) string {
	if u, ok := capability.AsUserError(err); ok {
		return u.Message
	}
	return err.Error()
}
