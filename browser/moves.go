package browser

import (
	"strings"

	"github.com/hobkin/hobkin/browser/cdp"
)

// moves counts where the main frame went, so that who waits can tell whether
// something happened since.
type moves struct {
	commits int  // new documents
	within  int  // new addresses of the same document
	frames  int  // new documents of frames within
	under   bool // another document is on its way
	started bool // and it is being asked for

	came []string // loaders of the documents since a step began, the last of many
}

// keepCame is more than can come before who waits for one of them looks.
const keepCame = 200

func (m *moves) committedLocked(loader string) {
	m.commits++
	if m.came = append(m.came, loader); len(m.came) > keepCame {
		m.came = m.came[1:]
	}
	m.under, m.started = false, false
}

// pendingLocked reports whether another document is on its way.
func (m *moves) pendingLocked() bool { return m.under }

// listenMoves follows what the main frame is about to show.
func (v *view) listenMoves(s *cdp.Session) {
	cdp.On(s, "Page.frameRequestedNavigation", func(e struct {
		FrameID     string `json:"frameId"`
		Disposition string `json:"disposition"`
		URL         string `json:"url"`
	},
	) {
		if e.Disposition == "currentTab" {
			v.leads(e.FrameID, e.URL)
		}
	})
	cdp.On(s, "Page.frameScheduledNavigation", func(e struct {
		FrameID string  `json:"frameId"`
		Delay   float64 `json:"delay"`
		URL     string  `json:"url"`
	},
	) {
		if e.Delay == 0 {
			v.leads(e.FrameID, e.URL)
		}
	})
	cdp.On(s, "Page.frameStartedNavigating", func(e struct {
		FrameID string `json:"frameId"`
		Type    string `json:"navigationType"`
	},
	) {
		if e.FrameID == v.target && !strings.HasSuffix(strings.ToLower(e.Type), "samedocument") {
			v.update(func() { v.moves.under, v.moves.started = true, true })
		}
	})
	cdp.On(s, "Page.frameStartedLoading", func(e frameEvent) {
		if e.FrameID == v.target {
			v.update(func() { v.moves.started = v.moves.under })
		}
	})
	cdp.On(s, "Page.frameStoppedLoading", func(e frameEvent) {
		if e.FrameID == v.target {
			v.update(func() {
				if v.moves.started { // else what stopped is the page before
					v.moves.under, v.moves.started = false, false
				}
			})
		}
	})
}

type frameEvent struct {
	FrameID string `json:"frameId"`
}

// leads notes that the page wants to go to an address. Scripts and other
// programs' addresses, such as mailto:, are no page.
func (v *view) leads(frame, url string) {
	scheme, _, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "about", "blob", "data":
		if frame == v.target {
			v.update(func() { v.moves.under = true })
		}
	}
}
