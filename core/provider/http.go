package provider

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// The waiting times and sizes that hold where [Options] say nothing.
const (
	DefaultStart      = 3 * time.Minute  // until the first byte of an answer
	DefaultStartLocal = 15 * time.Minute // the same for a server on this machine, which may have to load a model
	DefaultIdle       = 90 * time.Second // between two bytes of an answer
	MaxRequest        = 30 << 20         // bytes of one request; the interfaces refuse some 32 MB

	maxErrorBody = 64 << 10
)

var (
	errStart = errors.New("no first byte in time")
	errIdle  = errors.New("no further byte in time")
)

// Options are about the way to a provider. The zero value is right for use.
type Options struct {
	HTTP       *http.Client  // nil is a client of the package's own
	Start      time.Duration // longest wait for the first byte
	Idle       time.Duration // longest wait for a further byte
	MaxAnswer  int64         // bytes of one answer
	MaxRequest int           // bytes of one request

	// HostedToolSearch lets OpenAI itself search for tools that are left out of
	// requests. It is off unless asked for, because its answers could not be
	// tried against the real interface.
	HostedToolSearch bool

	// HostedComputer says whether a provider's own tool for operating a computer
	// stands in place of ours. Empty is where it was tried against recorded
	// traffic of the real interface: Anthropic's. HostedOn is OpenAI's too.
	HostedComputer HostedUse
}

// HostedUse says when a tool of the provider is used.
type HostedUse string

// When a tool of the provider is used.
const (
	HostedTried HostedUse = ""    // where it could be tried
	HostedOn    HostedUse = "on"  // wherever there is one
	HostedOff   HostedUse = "off" // nowhere
)

// An Endpoint is where one provider's HTTP interface is reached.
type Endpoint struct {
	Provider string // config name, for messages
	Base     string // URL before the path, without a slash at its end

	// Header makes the headers of a request, with the key. Its error is
	// reported as one of [KindAuth].
	Header func(ctx context.Context) (http.Header, error)

	Options
}

// fill sets the defaults.
func (e *Endpoint) fill() {
	if e.Start == 0 {
		e.Start = DefaultStart
		if u, err := url.Parse(e.Base); err == nil && loopback(u.Hostname()) {
			e.Start = DefaultStartLocal
		}
	}
	if e.Idle == 0 {
		e.Idle = DefaultIdle
	}
	if e.MaxAnswer == 0 {
		e.MaxAnswer = MaxAnswer
	}
	if e.MaxRequest == 0 {
		e.MaxRequest = MaxRequest
	}
}

// sharedTransport is one pool of connections for all providers.
var sharedTransport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = 15 * time.Second
	return t
}()

// client returns the HTTP client, made to stay at its origin.
func (e *Endpoint) client() *http.Client {
	c := http.Client{Transport: sharedTransport}
	if e.HTTP != nil {
		c = *e.HTTP
	}
	c.CheckRedirect = sameOrigin
	return &c
}

// sameOrigin lets a redirect be followed only where the same request goes to
// the same scheme, host and port: a conversation and a key are for one server.
// Any other is left to be reported.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) >= 5 || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// Post sends body to the path and returns the answer once it has a good
// status. The caller closes it. A failure is an [*Error], or the error of ctx.
func (e Endpoint) Post(ctx context.Context, path string, body []byte) (*Answer, error) {
	e.fill()
	inner, cancel := context.WithCancelCause(ctx)
	a := &Answer{endpoint: e, outer: ctx, inner: inner, cancel: cancel}
	a.timer = time.AfterFunc(e.Start, a.expire)
	if err := a.send(path, body); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// An Answer is what a provider sends back.
type Answer struct {
	endpoint Endpoint
	outer    context.Context //nolint:containedctx // an answer lives exactly as long as its request
	inner    context.Context //nolint:containedctx // cancelled by the timer
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	began    atomic.Bool // a byte of the body came
	body     io.ReadCloser
	buffered *bufio.Reader
}

func (a *Answer) send(path string, body []byte) error {
	e := a.endpoint
	req, err := http.NewRequestWithContext(a.inner, http.MethodPost, e.Base+path, bytes.NewReader(body))
	if err != nil {
		return &Error{Provider: e.Provider, Kind: KindInvalid, Message: "the address " + e.Base + " is not a URL", Try: "correct base_url in the provider's settings", Err: err}
	}
	if e.Header != nil {
		header, err := e.Header(a.inner)
		if err != nil {
			return a.keyError(err)
		}
		if header != nil {
			req.Header = header.Clone()
		}
	}
	secrets := secretsOf(req.Header)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "hobkin")
	resp, err := e.client().Do(req) //nolint:bodyclose // Answer.Close does it
	if err != nil {
		return a.Fail(err)
	}
	a.body = resp.Body
	a.buffered = bufio.NewReader(reading{a})
	if resp.StatusCode/100 == 2 {
		return nil
	}
	page, _ := io.ReadAll(io.LimitReader(a.buffered, maxErrorBody)) // a piece of the reason is better than none
	if err := a.outer.Err(); err != nil {
		return err
	}
	return statusError(e.Provider, resp, page, secrets)
}

func (a *Answer) keyError(err error) error {
	if ctxErr := a.outer.Err(); ctxErr != nil {
		return ctxErr
	}
	if pe, ok := errors.AsType[*Error](err); ok {
		return pe
	}
	return &Error{
		Provider: a.endpoint.Provider, Kind: KindAuth, Message: "its key could not be read",
		Try: tryKey, Err: err,
	}
}

// expire ends the wait for a byte.
func (a *Answer) expire() {
	if a.began.Load() {
		a.cancel(errIdle)
		return
	}
	a.cancel(errStart)
}

// Close ends the answer, whether or not all of it was read.
func (a *Answer) Close() {
	a.timer.Stop()
	a.cancel(context.Canceled)
	if a.body != nil {
		_ = a.body.Close() // nothing is lost that is still wanted
	}
}

// reading reads the body of an answer under its timer. The timer runs only
// while a read waits, so that a slow reader is not taken for a slow provider.
type reading struct{ a *Answer }

func (r reading) Read(p []byte) (int, error) {
	a := r.a
	if a.began.Load() {
		a.timer.Reset(a.endpoint.Idle)
	}
	n, err := a.body.Read(p)
	if n > 0 || err != nil {
		a.began.Store(true)
		a.timer.Stop()
	}
	return n, err
}

// Fail turns what went wrong under way into an [*Error], or into the error of
// the caller's context where that is the reason.
func (a *Answer) Fail(err error) error {
	e := a.endpoint
	if ctxErr := a.outer.Err(); ctxErr != nil {
		return ctxErr
	}
	if pe, ok := errors.AsType[*Error](err); ok {
		return pe
	}
	cause := context.Cause(a.inner)
	switch {
	case errors.Is(err, ErrTooLarge):
		return &Error{
			Provider: e.Provider, Kind: KindResponse, Err: err,
			Message: "the answer is larger than " + megabytes(e.MaxAnswer),
			Try:     "ask for less at once, or choose another model",
		}
	case errors.Is(cause, errStart):
		return &Error{
			Provider: e.Provider, Kind: KindTimeout, Err: cause,
			Message: "no answer began within " + spoken(e.Start), Try: tryLater,
		}
	case errors.Is(cause, errIdle):
		return &Error{
			Provider: e.Provider, Kind: KindTimeout, Err: cause,
			Message: "the answer stopped: nothing came for " + spoken(e.Idle), Try: tryLater,
		}
	case a.body == nil:
		return unreached(e.Provider, e.Base, err)
	}
	return Broken(e.Provider, err)
}

// Broken is the failure of an answer that ended before it was whole.
func Broken(provider string, cause error) *Error {
	return &Error{
		Provider: provider, Kind: KindNetwork, Err: cause,
		Message: "the connection broke before the answer was whole", Try: tryLater,
	}
}

// spoken is a duration for people: 90s is "90 seconds", 180s "3 minutes".
func spoken(d time.Duration) string {
	switch {
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	case d >= time.Second && d%time.Second == 0:
		return fmt.Sprintf("%d seconds", d/time.Second)
	}
	return d.String()
}

func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
