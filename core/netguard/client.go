package netguard

import (
	"context"
	"net"
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
func (g *Guard) Transport(header time.Duration) *Transport {
	if header == 0 {
		header = 15 * time.Second
	}
	t := &Transport{guard: g, header: max(header, 0)}
	t.open, t.end = context.WithCancel(context.Background())
	return t
}

// A Transport is a [http.RoundTripper]. Make one with [Guard.Transport]. It holds
// the connections that were opened under one configuration of the guard: after
// an update none of them is used again.
type Transport struct {
	guard  *Guard
	header time.Duration
	open   context.Context // until Close
	end    context.CancelFunc

	mu    sync.Mutex
	dials sync.WaitGroup // begun before Close
	under *state
	inner *http.Transport
}

// RoundTrip judges the address of a request and sends it.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	s := t.guard.state.Load()
	_, _, err := s.checkURL(req.URL)
	if err == nil {
		err = t.open.Err()
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as RoundTrip must
		}
		return nil, err
	}
	return t.current(s).RoundTrip(req)
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner != nil {
		t.inner.CloseIdleConnections()
	}
}

// Close ends what is being connected, which outlives the request it was for,
// and closes the connections that nobody uses. Requests after it fail; those
// that are on their way go on. It is not needed where some seconds do not matter.
func (t *Transport) Close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.dials.Wait()
	t.CloseIdleConnections()
}

// dial is the guard's, until Close.
func (t *Transport) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	t.mu.Lock()
	if err := t.open.Err(); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	t.dials.Add(1)
	t.mu.Unlock()
	defer t.dials.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.open, cancel)() //nolint:contextcheck // the end of the transport ends ctx too
	return t.guard.DialContext(ctx, network, addr)
}

func (t *Transport) current(s *state) *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner != nil && t.under == s {
		return t.inner
	}
	if t.inner != nil {
		t.inner.CloseIdleConnections() // those in use are closed when they become idle
	}
	t.under, t.inner = s, &http.Transport{
		DialContext:            t.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  t.header,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    8, // a browser that comes by the proxy uses six
		MaxResponseHeaderBytes: 256 << 10,
	}
	return t.inner
}
