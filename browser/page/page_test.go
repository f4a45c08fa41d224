package page

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/cdp"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) } //nolint:forbidigo // a test's main is one

// A testTab is a tab as simple as it can be: the page's session and those of its
// frames of other origins.
type testTab struct {
	*cdp.Session
	mu     sync.Mutex
	frames []*cdp.Session
}

// open shows a page in a tab of its own.
func open(tb testing.TB, url string) (*Page, *testTab) {
	tb.Helper()
	tab := &testTab{}
	tab.Session = browsertest.Session(tb, "about:blank", func(child *cdp.Session) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.frames = append(tab.frames, child)
	})
	tab.visit(tb, url)
	return New(tab), tab
}

// visit goes to an address and waits until it is loaded. The event that tells of
// it is no use: a page that is quick has had it before the browser's new process
// for it speaks to us.
func (t *testTab) visit(tb testing.TB, url string) {
	tb.Helper()
	ctx := background(tb)
	must(tb, t.Call(ctx, "Page.navigate", map[string]any{"url": url}, nil))
	p := New(t)
	must(tb, poll(ctx, 25*time.Second, func(ctx context.Context) (bool, error) {
		if there, err := p.atURL(ctx, url); err != nil || !there {
			return false, err
		}
		return p.loaded(ctx)
	}))
}

// Frames asks every session for its tree of frames.
func (t *testTab) Frames(ctx context.Context) ([]Frame, error) {
	list, err := framesOf(ctx, t.Session, "")
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	sessions := t.frames
	t.mu.Unlock()
	for _, s := range sessions {
		more, err := framesOf(ctx, s, "?")
		if err == nil { // else the frame is gone
			list = append(list, more...)
		}
	}
	return list, nil
}

type frameTree struct {
	Frame struct {
		ID     string `json:"id"`
		Parent string `json:"parentId"`
		URL    string `json:"url"`
	} `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

func framesOf(ctx context.Context, s *cdp.Session, _ string) (list []Frame, err error) {
	var got struct {
		Tree frameTree `json:"frameTree"`
	}
	if err := s.Call(ctx, "Page.getFrameTree", nil, &got); err != nil {
		return nil, err
	}
	var add func(frameTree)
	add = func(t frameTree) {
		list = append(list, Frame{Session: s, ID: t.Frame.ID, Parent: t.Frame.Parent, URL: t.Frame.URL})
		for _, c := range t.Children {
			add(c)
		}
	}
	add(got.Tree)
	return list, nil
}

// show opens HTML as a page.
func show(tb testing.TB, html string) (*Page, *testTab) {
	tb.Helper()
	return open(tb, browsertest.Serve(tb, "a.example", html))
}

func background(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	tb.Cleanup(cancel)
	return ctx
}

func snap(tb testing.TB, p *Page, o SnapshotOptions) *Snapshot {
	tb.Helper()
	s, err := p.Snapshot(background(tb), o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
