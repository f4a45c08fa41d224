package browser

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A Request is one that a page made.
type Request struct {
	Time     time.Time
	Method   string
	URL      string // at most 2,000 characters
	Type     string // Document, Script, Fetch, XHR, Image, WebSocket, …
	Status   int    // 0 until answered
	MIME     string
	Size     int64 // bytes received
	Took     time.Duration
	Error    string // why it failed, such as net::ERR_ABORTED
	Finished bool

	blocked bool // by the guard's proxy, which says so
}

const (
	keepRequests = 300
	maxPending   = 2000
)

// traffic is what is known of the main document's own request.
type traffic struct {
	status  int
	blocked bool // the guard's proxy answered in place of the host
}

// Network is what the tab requested lately, the oldest first, and how many
// requests there were in all.
func (t *Tab) Network() (list []Request, total int) {
	t.mu.Lock()
	v := t.view
	t.mu.Unlock()
	if v == nil {
		return nil, 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	list = v.network.all()
	for _, r := range v.pending {
		list = append(list, *r)
	}
	slices.SortStableFunc(list, func(a, b Request) int { return a.Time.Compare(b.Time) })
	return list, v.network.total + len(v.pending)
}

func (v *view) listenTraffic(s *cdp.Session) {
	cdp.On(s, "Network.requestWillBeSent", func(e requestSent) { v.sent(s, e) })
	cdp.On(s, "Network.responseReceived", func(e responseReceived) { v.answered(s, e) })
	cdp.On(s, "Network.loadingFinished", func(e struct {
		ID   string  `json:"requestId"`
		Size float64 `json:"encodedDataLength"`
	},
	) {
		v.over(s, e.ID, func(r *Request) { r.Size = int64(e.Size) })
	})
	cdp.On(s, "Network.loadingFailed", func(e struct {
		ID    string `json:"requestId"`
		Error string `json:"errorText"`
	},
	) {
		v.over(s, e.ID, func(r *Request) { r.Error = e.Error })
	})
	cdp.On(s, "Network.webSocketCreated", func(e struct {
		ID  string `json:"requestId"`
		URL string `json:"url"`
	},
	) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.network.add(Request{Time: time.Now(), Method: "GET", URL: clip(e.URL, maxMessage), Type: "WebSocket"})
	})
}

type requestSent struct {
	ID      string `json:"requestId"`
	Type    string `json:"type"`
	Request struct {
		URL    string `json:"url"`
		Method string `json:"method"`
	} `json:"request"`
	Redirect *struct {
		Status int    `json:"status"`
		MIME   string `json:"mimeType"`
	} `json:"redirectResponse"`
}

type responseReceived struct {
	ID       string `json:"requestId"`
	Type     string `json:"type"`
	FrameID  string `json:"frameId"`
	Response struct {
		Status  int               `json:"status"`
		MIME    string            `json:"mimeType"`
		Headers map[string]string `json:"headers"`
	} `json:"response"`
}

// sent notes a request. A redirect ends one request and begins the next with the
// same id.
func (v *view) sent(s *cdp.Session, e requestSent) {
	v.update(func() {
		key := s.ID() + e.ID
		if old := v.pending[key]; old != nil && e.Redirect != nil {
			old.Status, old.MIME = e.Redirect.Status, e.Redirect.MIME
			v.finishLocked(key, old)
		}
		if len(v.pending) >= maxPending {
			clear(v.pending) // a page that asks and asks; what is lost is a list's entry
		}
		v.pending[key] = &Request{Time: time.Now(), Method: e.Request.Method, URL: clip(e.Request.URL, maxMessage), Type: e.Type}
	})
}

func (v *view) answered(s *cdp.Session, e responseReceived) {
	v.update(func() {
		blocked := ofGuard(e.Response.Headers)
		if r := v.pending[s.ID()+e.ID]; r != nil {
			r.Status, r.MIME, r.blocked = e.Response.Status, e.Response.MIME, blocked
		}
		if e.Type == "Document" && e.FrameID == v.target {
			v.traffic = traffic{status: e.Response.Status, blocked: blocked}
		}
	})
}

// ofGuard reports whether the guard's proxy answered in place of the host. A
// host that says so of itself only blocks itself.
func ofGuard(headers map[string]string) bool {
	for name, value := range headers {
		if strings.EqualFold(name, "Proxy-Status") && strings.HasPrefix(value, "hobkin;") {
			return true
		}
	}
	return false
}

func (v *view) over(s *cdp.Session, id string, fill func(*Request)) {
	v.update(func() {
		key := s.ID() + id
		if r := v.pending[key]; r != nil {
			fill(r)
			v.finishLocked(key, r)
		}
	})
}

func (v *view) finishLocked(key string, r *Request) {
	r.Finished, r.Took = true, time.Since(r.Time)
	delete(v.pending, key)
	v.network.add(*r)
}

// leaveBehindLocked ends the requests of a document that is no more; that of the
// new one has its loader's id.
func (v *view) leaveBehindLocked() {
	for key, r := range v.pending {
		if key != v.session.ID()+v.loader {
			delete(v.pending, key)
			v.network.add(*r)
		}
	}
}

// busyLocked reports whether something is under way, since a moment, that the
// page will show: streams and pictures do not count.
func (v *view) busyLocked(since time.Time) bool {
	for r := range maps.Values(v.pending) {
		switch r.Type {
		case "Document", "Script", "Stylesheet", "XHR", "Fetch":
			if !r.Time.Before(since) {
				return true
			}
		}
	}
	return false
}
