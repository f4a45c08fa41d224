package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/netguard"
)

// A Trial is what starting a browser for a try gave.
type Trial struct {
	Product string // such as Chrome/156.0.8078.114
	Path    string // of the program
	Shell   bool   // a headless shell
	Sandbox string // in a sentence

	Unsandboxed bool          // its pages have no sandbox
	Took        time.Duration // until its first page was read
}

// trialPage is what a trial reads: its heading is made by a script, so that one
// that can be read has been run.
const trialPage = `<!doctype html><title>Hobkin</title><script>document.write("<h1>" + "Hob" + "kin works" + "</h1>")</script>`

// Try starts a browser with an empty profile, reads a page of its own through
// the guard's proxy, and ends it again.
func (h *Host) Try(ctx context.Context) (t Trial, err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return t, fmt.Errorf("browser: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(trialPage)) // the browser tells what it got
	})}
	go func() { _ = server.Serve(l) }()   // ends with Close
	defer func() { _ = server.Close() }() // nothing of it is kept
	guard, err := netguard.New(netguard.Config{AllowHosts: []string{l.Addr().String()}})
	if err != nil {
		return t, err
	}
	s := h.Settings()
	b := browser.New(browser.Options{Path: s.Path, NoSandbox: s.NoSandbox, Guard: guard})
	defer func() { err = errors.Join(err, b.Close(context.WithoutCancel(ctx))) }()
	begin := time.Now()
	tab, _, err := b.Open(ctx, "http://"+l.Addr().String()+"/")
	if err != nil {
		return t, err
	}
	shot, err := page.New(tab).Snapshot(ctx, page.SnapshotOptions{})
	if err != nil {
		return t, err
	}
	st := b.Status()
	t = Trial{Product: st.Product, Path: st.Path, Shell: st.Shell, Sandbox: st.Sandbox, Took: time.Since(begin), Unsandboxed: chromium.Options{NoSandbox: s.NoSandbox}.Unsandboxed()}
	if !strings.Contains(shot.Text, "Hobkin works") {
		return t, browser.NavigationFailed.Becausef("the browser started and showed a page of ours wrongly: %q", shot.Text)
	}
	return t, nil
}
