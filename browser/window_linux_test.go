package browser_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// display starts a display of the test's own.
func display(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("Xvfb is not installed; make test installs it")
	}
	cmd := exec.CommandContext(t.Context(), path, "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp") //nolint:gosec // found on PATH
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(number))
}

// With a window tabs share it: those behind are read, acted on and pictured as
// well, and the last one can be closed.
func TestWindow(t *testing.T) {
	full := browsertest.Full(t)
	display(t)
	b := start(t, func(o *browser.Options) { o.Path, o.Window = full.Path, true })
	one := open(t, b, browsertest.Serve(t, "a.example", "<body style='background:#00f'><title>one</title><p id=p>x"))
	two := open(t, b, browsertest.Serve(t, "b.example", "<title>two</title>"))
	if e := settle(t, one, "p.textContent = document.hidden; alert('behind')"); e.Dialog == nil {
		t.Errorf("%+v", e)
	}
	if _, err := one.AnswerDialog(within(t), true, nil); err != nil {
		t.Fatal(err)
	}
	if p, err := one.Screenshot(within(t), browser.Shot{}); err != nil || p.WasW < 800 || p.WasH < 400 {
		t.Errorf("a picture of the tab behind: %v, %v", p, err)
	}
	if data, err := two.PDF(within(t), browser.Print{}); err != nil || len(data) == 0 {
		t.Errorf("a PDF: %d bytes, %v", len(data), err)
	}
	if s := b.Status(); !s.Window || s.Shell || len(s.Tabs) != 2 {
		t.Errorf("%+v", s)
	}
	for _, id := range []string{"t2", "t1"} {
		if err := b.CloseTab(within(t), id); err != nil {
			t.Fatal(err)
		}
	}
	if _, a, err := b.Open(within(t), browsertest.Serve(t, "a.example", "<title>three</title>")); err != nil || a.Title != "three" {
		t.Errorf("after the last tab: %+v, %v", a, err)
	}
}
