package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/process"
)

// A browser that is killed fails what waits for it within a second, and the next
// call finds it again with its tabs where they were.
func TestKilledBrowser(t *testing.T) {
	b := start(t, nil)
	one := open(t, b, browsertest.Serve(t, "a.example", "<title>one</title>"))
	two := open(t, b, browsertest.Serve(t, "b.example", "<title>two</title>"))
	if _, err := b.Focus(within(t), one.ID()); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() { // ends with the browser
		_, err := two.Evaluate(context.Background(), "", "console.log('waits'); new Promise(() => {})")
		waits <- err
	}()
	browsertest.Until(t, func() bool { list, _ := two.Console(); return len(list) > 0 })
	signal(t, b, syscall.SIGKILL)
	begin := time.Now()
	if err := <-waits; !errors.Is(err, browser.Gone) {
		t.Errorf("a call meanwhile: %v", err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it was told of after %v", took)
	}
	begin = time.Now()
	browsertest.Until(t, func() bool { // the very next call may still meet the end
		return eval(t, two, "document.title") == `"two"`
	})
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it works again after %v", took)
	}
	if got := eval(t, one, "document.title"); got != `"one"` {
		t.Errorf("the other tab shows %s", got)
	}
	s := b.Status()
	if s.Starts != 2 || s.LastEnd == "" || len(s.Tabs) != 2 || !s.Tabs[0].Active {
		t.Errorf("%+v", s)
	}
	if notes, _ := b.Since(0); !strings.Contains(fmt.Sprint(notes), string(browser.NoteRestart)) {
		t.Errorf("%+v", notes)
	}
}

// signal sends a signal to the browser's process.
func signal(t *testing.T, b *browser.Browser, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(b.Status().PID, sig); err != nil {
		t.Fatal(err)
	}
}

// A browser that stands still is noticed, ended and started anew.
func TestHungBrowser(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>one</title>"))
	pid := b.Status().PID
	signal(t, b, syscall.SIGSTOP)
	begin := time.Now()
	if _, err := tab.Evaluate(within(t), "", "1"); !errors.Is(err, browser.Gone) {
		t.Errorf("a call to a browser that hangs: %v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it was told of after %v", took)
	}
	browsertest.Until(t, func() bool { _, err := tab.Evaluate(within(t), "", "1"); return err == nil })
	if s := b.Status(); s.PID == pid || !strings.Contains(s.LastEnd, "hung") {
		t.Errorf("%+v", s)
	}
	browsertest.Until(t, func() bool { return len(process.InSession(pid)) == 0 })
}

// One that dies again and again is left alone for a while, which is said.
func TestCoolDown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil { //nolint:gosec // a program of the test
		t.Fatal(err)
	}
	b := start(t, func(o *browser.Options) { o.Path = path })
	for range 4 {
		if err := b.Start(within(t)); !errors.Is(err, chromium.StartFailed) {
			t.Fatal(err)
		}
	}
	if err := b.Start(within(t)); !errors.Is(err, browser.CoolingDown) || !strings.Contains(err.Error(), "30s") && !strings.Contains(err.Error(), "29s") {
		t.Errorf("after four failures: %v", err)
	}
}

// Each thing that keeps a browser from starting is told by its name.
func TestBrowserThatCannotStart(t *testing.T) {
	t.Parallel()
	missing := start(t, func(o *browser.Options) { o.Path = filepath.Join(t.TempDir(), "none") })
	if _, _, err := missing.Open(within(t), "http://a.example/"); !errors.Is(err, chromium.NotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
	old := filepath.Join(t.TempDir(), "old")
	if err := os.WriteFile(old, []byte("#!/bin/sh\nhead -c 1 <&3 >/dev/null\nprintf '{\"id\":1,\"result\":{\"product\":\"Chrome/90.0\"}}\\000' >&4\ncat <&3 >/dev/null\n"), 0o700); err != nil { //nolint:gosec // a program of the test
		t.Fatal(err)
	}
	tooOld := start(t, func(o *browser.Options) { o.Path = old })
	if err := tooOld.Start(within(t)); !errors.Is(err, chromium.TooOld) {
		t.Errorf("one that is too old: %v", err)
	}
	root := t.TempDir()
	first := start(t, func(o *browser.Options) { o.Profiles, o.Profile = root, "work" })
	if err := first.Start(within(t)); err != nil {
		t.Fatal(err)
	}
	second := start(t, func(o *browser.Options) { o.Profiles, o.Profile = root, "work" })
	if err := second.Start(within(t)); !errors.Is(err, chromium.ProfileLocked) {
		t.Errorf("a profile in use: %v", err)
	}
	if n := len(first.Tabs()); n != 0 {
		t.Errorf("the first has %d tabs of the second", n)
	}
}

// Cookies, of sessions too, outlive a kill of the browser and a stop.
func TestCookiesOutliveAKill(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	profile := func(o *browser.Options) { o.Profiles, o.Profile = root, "work" }
	b := start(t, profile)
	page := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "login", Value: "1", HttpOnly: true})
		http.SetCookie(w, &http.Cookie{Name: "long", Value: "2", MaxAge: 3600})
	}))
	tab := open(t, b, page)
	saved := filepath.Join(root, "work", "hobkin-cookies.json")
	browsertest.Until(t, func() bool { _, err := os.Stat(saved); return err == nil })
	if info, err := os.Stat(saved); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	signal(t, b, syscall.SIGKILL)
	browsertest.Until(t, func() bool { return !b.Status().Running })
	if list, err := tab.Cookies(within(t), page); err != nil || len(list) != 2 {
		t.Errorf("after a kill: %+v, %v", list, err)
	}
	if err := b.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(saved); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("saved cookies are left after a good end: %v", err)
	}
	if list, err := tab.Cookies(within(t), page); err != nil || len(list) == 0 {
		t.Errorf("after a stop: %+v, %v", list, err)
	}
}

// A browser that nobody uses is closed, and comes back with its tabs.
func TestIdle(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *browser.Options) { o.Idle = 300 * time.Millisecond })
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>one</title>"))
	pid := b.Status().PID
	browsertest.Until(t, func() bool { return !b.Status().Running && len(process.InSession(pid)) == 0 })
	if got := eval(t, tab, "document.title"); got != `"one"` {
		t.Errorf("it shows %s", got)
	}
	if s := b.Status(); s.Starts != 2 || s.LastEnd != "" {
		t.Errorf("%+v", s)
	}
}

// One that has grown too large is closed when it rests.
func TestRecycle(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *browser.Options) { o.MaxMemory = 1 << 20; o.Idle = 2 * time.Second })
	tab := open(t, b, "about:blank")
	used := make(chan error, 1)
	go func() { // ends with the page's answer
		_, err := tab.Evaluate(within(t), "", "new Promise(r => setTimeout(r, 1000))")
		used <- err
	}()
	browsertest.Until(t, func() bool { return b.Status().Memory > 20<<20 })
	if err := <-used; err != nil {
		t.Errorf("while it is used it is not ended: %v", err)
	}
	browsertest.Until(t, func() bool { return !b.Status().Running })
}

// Stop leaves no process and no temporary profile; a call after Close says why it
// fails.
func TestStop(t *testing.T) {
	t.Parallel()
	profiles := t.TempDir()
	b := start(t, func(o *browser.Options) { o.Profiles = profiles })
	open(t, b, "about:blank")
	pid := b.Status().PID
	if err := b.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	if left := process.InSession(pid); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if left, err := filepath.Glob(filepath.Join(profiles, "*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := b.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(within(t)); !errors.Is(err, browser.Stopped) {
		t.Errorf("after the end: %v", err)
	}
}

// A start that is stopped leaves nothing, and the next one works.
func TestCancelledStart(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if err := b.Start(ctx); err == nil && after < 50*time.Millisecond {
			t.Errorf("after %v it had started", after)
		}
		cancel()
		if err := b.Stop(within(t)); err != nil {
			t.Error(err)
		}
	}
	open(t, b, "about:blank")
}
