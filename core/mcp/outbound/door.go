package outbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

const (
	mostWait    = 20 * time.Second // that a server's Retry-After is waited for
	mostRetries = 3                // of one request that the server put off
	keptBody    = 64 << 10         // bytes of an answer that is an error
)

// A door is what all requests to an address go through: it adds the headers,
// bounds what comes back, and tells what mcp-go would lose: the status of an
// error, how long to wait, and that the server is gone.
type door struct {
	conn   *conn
	inner  http.RoundTripper
	opened atomic.Bool  // the stream of notices was open
	last   atomic.Value // string: why the server refused the greeting
}

// An HTTPError is an answer that is no answer of the protocol.
type HTTPError struct {
	Status     int
	RetryAfter time.Duration // that the server asks to wait; 0 says nothing
	Text       string        // the beginning of its answer, one line
}

// Error implements error.
func (e *HTTPError) Error() string {
	text := fmt.Sprintf("it answered HTTP %d %s", e.Status, http.StatusText(e.Status))
	switch {
	case e.Status == http.StatusUnauthorized:
		text = "it wants a valid token (HTTP 401); name where it is with auth in its settings, or use auth = \"oauth\""
	case e.RetryAfter > 0:
		text += fmt.Sprintf(" and asks to wait %v", e.RetryAfter)
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// RoundTrip implements [http.RoundTripper].
func (d *door) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if err := d.headers(req); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		res, err := d.inner.RoundTrip(req)
		if err != nil {
			return nil, d.failed(req, err)
		}
		wait, put := putOff(res, time.Now())
		if !put || wait > mostWait || try > mostRetries || !again(req) {
			return d.judge(req, res)
		}
		_ = res.Body.Close()                                                 // it is asked anew
		if err := sleep(req.Context(), max(wait, time.Second)); err != nil { //nolint:contextcheck // it is the request's
			return nil, err
		}
	}
}

// headers adds those of the settings, and the token.
func (d *door) headers(req *http.Request) error {
	for k, v := range d.conn.spec.Headers {
		req.Header.Set(k, v)
	}
	if d.conn.spec.Bearer == nil {
		return nil
	}
	token, err := d.conn.spec.Bearer(req.Context())
	if err != nil {
		return fmt.Errorf("its token cannot be read: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// failed notes that the server is gone.
func (d *door) failed(req *http.Request, err error) error {
	var dial *net.OpError
	if req.Context().Err() == nil && errors.As(err, &dial) && dial.Op == "dial" {
		err = fmt.Errorf("%w: %w", errAway, err)
		d.conn.end(err)
	}
	return err
}

// errAway is the reason of calls that never reached the server.
var errAway = errors.New("it cannot be reached")

// putOff reports whether the server wants to be asked later, and when.
func putOff(res *http.Response, now time.Time) (time.Duration, bool) {
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	text := res.Header.Get("Retry-After")
	if s, err := strconv.Atoi(text); err == nil && s >= 0 {
		return time.Duration(min(s, 1e6)) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// again makes a request ready to be sent once more.
func again(req *http.Request) bool {
	if req.Body == nil || req.Body == http.NoBody {
		return true
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	req.Body = body
	return err == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// judge makes of an answer what mcp-go understands, or an error that says what
// it was.
func (d *door) judge(req *http.Request, res *http.Response) (*http.Response, error) {
	session := req.Header.Get(transport.HeaderKeySessionID) != ""
	switch {
	case res.StatusCode == http.StatusNoContent:
		res.StatusCode = http.StatusAccepted // mcp-go's older transport knows no other
	case req.Method == http.MethodGet && res.StatusCode == http.StatusOK && req.Header.Get("Last-Event-ID") == "":
		d.listening()
	}
	if res.StatusCode < http.StatusBadRequest {
		res.Body = bounded(res)
		return res, nil
	}
	raw, _ := io.ReadAll(io.LimitReader(res.Body, keptBody)) // half of it says something, too
	_ = res.Body.Close()
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	rpc := isError(raw)
	e := &HTTPError{Status: res.StatusCode, Text: line(raw)}
	e.RetryAfter, _ = putOff(res, time.Now())
	d.last.Store(e.Error())
	switch {
	case session && lostSession(res.StatusCode, raw):
		return nil, d.sessionLost(req)
	case res.StatusCode == http.StatusNotFound && rpc && !session:
		res.StatusCode = http.StatusBadRequest // mcp-go takes each 404 for a lost session
	case req.Method == http.MethodGet, rpc:
	case res.StatusCode == http.StatusBadRequest, res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusMethodNotAllowed:
	default:
		return nil, e
	}
	return res, nil
}

// listening notes that the stream of notices is open. When it was open before,
// what was said meanwhile is lost: the tools are listed again.
func (d *door) listening() {
	if d.opened.Swap(true) {
		d.conn.note()
	}
}

// sessionLost is the error of requests in a session that the server does not
// know any more. Where only the stream of notices finds out, that is all there
// is to tell.
func (d *door) sessionLost(req *http.Request) error {
	if req.Method != http.MethodGet {
		return transport.ErrSessionTerminated
	}
	if d.opened.Load() {
		d.conn.end(errors.New("it has forgotten the session"))
	}
	return transport.ErrGetMethodNotAllowed // do not try it on
}

// lostSession reports whether an error means that the session is not known any
// more: 404 by the protocol, 400 with many servers.
func lostSession(status int, raw []byte) bool {
	return status == http.StatusNotFound || status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(raw), []byte("session"))
}

// isError reports whether text is an error of the protocol.
func isError(raw []byte) bool {
	var m struct {
		RPC   string `json:"jsonrpc"`
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	return json.Unmarshal(raw, &m) == nil && m.RPC == "2.0" && m.Error != nil
}

// line is the beginning of a text of others as one line of a message.
func line(raw []byte) string {
	text := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u202e' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(raw[:min(len(raw), 2000)]), "�"))), " ")
	if strings.HasPrefix(text, "<") { // a page for people
		return ""
	}
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}
