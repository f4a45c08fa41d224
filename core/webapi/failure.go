package webapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/webpage"
)

// Kind sorts failures by what one does about them.
type Kind string

// The kinds.
const (
	KindSetup   Kind = "setup"   // the settings are not complete
	KindKey     Kind = "key"     // there is no key, or it was not accepted
	KindRate    Kind = "rate"    // too many requests
	KindQuota   Kind = "quota"   // the paid allowance is used up
	KindRequest Kind = "request" // the request was not accepted
	KindDown    Kind = "down"    // not reached, out of order, or too slow
	KindAnswer  Kind = "answer"  // the answer is not what it should be
)

// An Error is a failure of a service, in words.
type Error struct {
	Service    string // its name for people
	Kind       Kind
	Status     int    // HTTP status; 0 when there was none
	Message    string // what happened, without secrets
	Try        string // what to do; may be empty
	RetryAfter time.Duration
	Err        error // the cause; may be nil
}

// Error is the message after the service's name.
func (e *Error) Error() string { return e.Service + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fail makes a failure of the service.
func (s *Service) Fail(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Service: s.Title, Kind: kind, Err: cause, Message: fmt.Sprintf(format, args...)}
}

// refused is what an answer with a bad status means.
func (s *Service) refused(resp *http.Response, body []byte, key string) *Error {
	kind, message := meaning(resp.StatusCode)
	f := s.Fail(kind, nil, "%s (status %d)", message, resp.StatusCode)
	f.Status = resp.StatusCode
	f.RetryAfter = RetryAfter(resp.Header, time.Now())
	switch {
	case kind == KindKey && s.Keyless:
		f.Kind, f.Message = KindSetup, fmt.Sprintf("it does not answer programs (status %d)", resp.StatusCode)
		f.Try = s.Closed
	case kind == KindKey:
		f.Try = "store the right key with: hobkin secrets set " + s.Name
	case f.RetryAfter > 0:
		f.Try = fmt.Sprintf("wait %s before it is asked again", f.RetryAfter)
	}
	said := Explanation(body)
	if key != "" {
		said = strings.ReplaceAll(said, key, "…")
	}
	if kind != KindKey && said != "" { // a refusal of the key often repeats a part of it
		f.Message += ": " + said
	}
	return f
}

func meaning(status int) (Kind, string) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KindKey, "its key was not accepted"
	case status == http.StatusPaymentRequired, status == 432, status == 433: // the last two are of Tavily
		return KindQuota, "the paid allowance is used up"
	case status == http.StatusTooManyRequests:
		return KindRate, "too many requests"
	case status >= 500, status == http.StatusRequestTimeout:
		return KindDown, "it is out of order"
	case status == http.StatusNotFound, status/100 == 3:
		return KindSetup, "nothing is at its address"
	}
	return KindRequest, "it did not accept the request"
}

// Explanation finds what an error in JSON says, in any of the shapes that the
// engines have.
func Explanation(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	for range 4 {
		switch x := v.(type) {
		case string:
			return Brief(x)
		case []any:
			if len(x) == 0 {
				return ""
			}
			v = x[0]
		case map[string]any:
			v = nil
			for _, name := range []string{"error", "detail", "message", "readableMessage", "msg"} {
				if x[name] != nil {
					v = x[name]
					break
				}
			}
		default:
			return ""
		}
	}
	return ""
}

// Brief is text of others on one short line.
func Brief(s string) string {
	s = strings.Join(strings.Fields(webpage.Visible(strings.ToValidUTF8(s, "\ufffd"))), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// unreached is what a request that got no answer means.
func (s *Service) unreached(err error) *Error {
	if u, ok := errors.AsType[*capability.UserError](err); ok { // of the guard of the network
		f := s.Fail(KindDown, err, "it was not reached: %s", u.Message)
		f.Try = u.Try
		return f
	}
	return s.Fail(KindDown, err, "it was not reached: %s", Brief(reason(err)))
}

// reason is an error without the address, which can hold a key.
func reason(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

// RetryAfter is how long a server asks to be left alone: seconds or a date, at
// most a day; 0 when it does not say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	d := time.Duration(0)
	if n, err := strconv.ParseInt(v, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		d = at.Sub(now).Round(time.Second)
	}
	return min(max(d, 0), 24*time.Hour)
}
