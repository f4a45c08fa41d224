package tool

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
)

// ownBrowser starts a browser as a person would who lets it be steered, and
// returns its port. It shows one page.
func ownBrowser(t *testing.T, page string) int {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	args := []string{
		"--remote-debugging-port=0", "--user-data-dir=" + dir, "--no-first-run", "--disable-gpu",
		"--proxy-server=http://" + browsertest.Proxy(t), "--proxy-bypass-list=<-loopback>", page,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, browsertest.Binary(t).Path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 500 {
		if raw, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort")); err == nil {
			line, _, _ := strings.Cut(string(raw), "\n")
			if port, err := strconv.Atoi(line); err == nil {
				return port
			}
		}
		<-tick.C
	}
	t.Fatal("the person's browser did not start")
	return 0
}

// TestOwnBrowser: the first look of a conversation asks alone, and so does all
// that is more than a look; cookies stay out of reach.
func TestOwnBrowser(t *testing.T) {
	serve(t)
	port := ownBrowser(t, "http://shop.example/list")
	b := newBench(t, func(s *Settings) { s.Attached = port })
	b.deny = func(capability.Preview) error { return capability.Denied.Becausef("no") }
	first := func() {
		t.Helper()
		if p := b.asked; p.Question != "Use your own browser?" || !p.Alone || p.Effect != capability.EffectSend || len(p.Warnings) == 0 {
			t.Errorf("it is asked as %+v", p)
		}
	}
	b.call(`{"action":"tabs","profile":"attached"}`)
	first()
	b.call(`{"action":"tabs","profile":"attached"}`) // a denial is no agreement
	first()
	b.deny = nil
	text := b.must(`{"action":"tabs","profile":"attached"}`)
	b.has(text, "Open in the person's own browser", "http://shop.example/list")
	var own string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "o") && strings.Contains(line, "shop.example/list") {
			own, _, _ = strings.Cut(line, " ")
		}
	}
	b.must(`{"action":"focus","tab":"` + own + `"}`)
	b.must(`{"action":"act","kind":"wait","text":"Shoes"}`)
	b.has(b.must(`{"action":"snapshot"}`), "Shoes") // the profile is remembered
	if b.asked.Effect != capability.EffectLook || b.asked.Alone {
		t.Errorf("a further look is asked as %+v", b.asked)
	}
	b.must(`{"action":"navigate","url":"http://shop.example/"}`)
	if b.asked.Effect != capability.EffectSend || b.asked.Question != "Use your own browser?" || b.asked.URL != "http://shop.example/" {
		t.Errorf("going elsewhere is asked as %+v", b.asked)
	}
	b.fails(`{"action":"cookies"}`, browser.NotAttachedHere)
	b.fails(`{"action":"storage"}`, browser.NotAttachedHere)
	b.fails(`{"action":"focus","tab":"o99"}`, browser.NoTab)
	b.session = "two"
	b.call(`{"action":"snapshot","profile":"attached"}`)
	first()
	b.must(`{"action":"stop","profile":"attached"}`)
}

func TestOwnBrowserThatIsNotThere(t *testing.T) {
	b := newBench(t, func(s *Settings) { s.Attached = 1025 })
	b.has(b.fails(`{"action":"open","url":"http://shop.example/","profile":"attached"}`, browser.AttachFailed), "--remote-debugging-port=9222")
}
