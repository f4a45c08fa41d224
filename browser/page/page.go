// Package page reads and works a page that a browser shows: what is on it as
// compact text with references, and acts on what a reference names.
//
//	Snapshot ─► script in each frame ─► rows, judged ─► one tree ─► text in a budget
//	Act ─► reference ─► script: wait until it can be acted on ─► point ─► input
//
// Three ideas hold it. The script runs in an isolated world: it sees the page's
// document, and the page sees nothing of it. A reference such as e12 is given
// once, to one element, and stays with it while the element lives; it is unique
// over all frames of a tab. And what the script says of a page is the page's
// word: bounded, judged, and written so that no text of a page can pass for a
// line of ours.
//
// It imports the protocol (browser/cdp) and core/capability, and knows nothing
// of tabs, windows or processes.
package page

import (
	"context"
	"sync"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A Frame is one document of a tab.
type Frame struct {
	Session *cdp.Session // that the frame belongs to; its input goes there
	ID      string       // the frame's id in the protocol
	Parent  string       // id of the frame that holds it; empty for the tab's own
	URL     string
}

// A Tab knows the frames of one tab.
type Tab interface {
	// Frames lists the frames there are now, the tab's own first, each before
	// those within it.
	Frames(ctx context.Context) ([]Frame, error)
}

// A Page is what one tab shows, over all the documents that it shows in time. It
// is safe for concurrent use; one call at a time is at work. Make one a tab with
// [New].
type Page struct {
	tab Tab

	worlds worlds

	mu    sync.Mutex
	refs  refs
	shown Frame        // the tab's own, as it was last read
	rests map[int]rest // what snapshots left out, by the reference that was given for it
	last  *tree        // of the last snapshot; for what has changed
}

// New makes the Page of a tab.
func New(tab Tab) *Page {
	return &Page{tab: tab, worlds: worlds{frames: map[string]*known{}, sessions: map[*cdp.Session]*followed{}}, rests: map[int]rest{}}
}
