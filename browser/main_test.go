package browser_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/netguard"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("HOBKIN_TEST_BROWSER_AGENT"); dir != "" {
		agentThatIsKilled(dir)
		return
	}
	os.Exit(browsertest.Main(m, func() { //nolint:forbidigo // the program of a test
		if ours.browser != nil {
			_ = ours.browser.Close(context.Background()) // what it leaves fails the tests
			_ = os.RemoveAll(ours.dir)
		}
	}))
}

// start makes a browser with a profile that is gone with the test.
func start(t *testing.T, change func(*browser.Options)) *browser.Browser {
	t.Helper()
	o := browser.Options{
		Profiles: filepath.Join(t.TempDir(), "p"), Path: browsertest.Binary(t).Path,
		Guard: browsertest.Guard(t), Downloads: t.TempDir(),
	}
	if change != nil {
		change(&o)
	}
	b := browser.New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

// ours is the browser that tests share which need none of their own.
var ours struct {
	once    sync.Once
	browser *browser.Browser
	dir     string
}

// common is that browser, without tabs.
func common(t *testing.T) *browser.Browser {
	t.Helper()
	binary, guard := browsertest.Binary(t), browsertest.Guard(t)
	ours.once.Do(func() {
		dir, err := os.MkdirTemp("", "common-") //nolint:usetesting // it outlives the first test
		if err != nil {
			t.Fatal(err)
		}
		ours.dir = dir
		ours.browser = browser.New(browser.Options{Profiles: filepath.Join(dir, "p"), Path: binary.Path, Guard: guard, Downloads: dir})
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		for _, tab := range ours.browser.Tabs() {
			if err := ours.browser.CloseTab(ctx, tab.ID); err != nil && !errors.Is(err, browser.NoTab) && !errors.Is(err, browser.TabGone) {
				t.Error(err)
			}
		}
	})
	return ours.browser
}

// within is a context for one test: nothing in it may take longer.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func open(t *testing.T, b *browser.Browser, url string) *browser.Tab {
	t.Helper()
	tab, _, err := b.Open(within(t), url)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func eval(t *testing.T, tab *browser.Tab, expression string) string {
	t.Helper()
	raw, err := tab.Evaluate(within(t), "", expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return string(raw)
}

// agentThatIsKilled uses a browser in dir, says so, and waits to be killed.
func agentThatIsKilled(dir string) {
	binary, err := chromium.Find(chromium.Search{Headless: true})
	if err != nil {
		panic(err)
	}
	guard, err := netguard.New(netguard.Config{})
	if err != nil {
		panic(err)
	}
	b := browser.New(browser.Options{Profiles: dir, Path: binary.Path, Guard: guard, Downloads: dir})
	_, _ = os.Stdout.WriteString("begins\n")
	if _, err := b.New(context.Background()); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("runs\n")
	select {}
}
