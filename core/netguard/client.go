package netguard

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// ClientOptions say how a client behaves. The zero value is usable.
type ClientOptions struct {
	Timeout       time.Duration           // of a whole exchange with its redirects and body; 0 is 30 s, below 0 none
	HeaderTimeout time.Duration           // from the request to the header of its answer; 0 is 15 s
	Redirects     int                     // followed at most; 0 is 5, below 0 none: the redirect itself is the answer
	StayOnOrigin  bool                    // follow no redirect to another scheme, host or port
	OnHop         func(from, to *url.URL) // told of each redirect before it is followed; may be nil
}

// Client returns an HTTP client all of whose hops are judged by g. It knows no
// proxy of the environment and keeps no cookies. What is sent for one origin
// does not follow to another; see [Redirects].
func (g *Guard) Client(o ClientOptions) *http.Client {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	return &http.Client{
		Timeout:       max(o.Timeout, 0),
		Transport:     g.Transport(o.HeaderTimeout),
		CheckRedirect: Redirects{Most: o.Redirects, StayOnOrigin: o.StayOnOrigin, OnHop: o.OnHop}.Check,
	}
}

// Transport returns what a client sends its requests with: each request is
// judged by g before it is sent. It is for callers that build their own client;
// they should give it [Redirects.Check] too. The header of an answer must come
// within a time; 0 is 15 s, below 0 is no limit.
func (g *Guard) Transport(header time.Duration) http.RoundTripper {
	if header == 0 {
		header = 15 * time.Second
	}
	return &transport{guard: g, header: max(header, 0)}
}

// A transport holds the connections that were opened under one configuration
// of the guard: after an update none of them is used again.
type transport struct {
	guard  *Guard
	header time.Duration

	mu    sync.Mutex
	under *state
	inner *http.Transport
}

// RoundTrip judges the address of a request and sends it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	s := t.guard.state.Load()
	if _, _, err := s.checkURL(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as RoundTrip must
		}
		return nil, err
	}
	return t.current(s).RoundTrip(req)
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner != nil {
		t.inner.CloseIdleConnections()
	}
}

func (t *transport) current(s *state) *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner != nil && t.under == s {
		return t.inner
	}
	if t.inner != nil {
		t.inner.CloseIdleConnections() // those in use are closed when they become idle
	}
	t.under, t.inner = s, &http.Transport{
		DialContext:            t.guard.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  t.header,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           32,
		MaxResponseHeaderBytes: 256 << 10,
	}
	return t.inner
}
