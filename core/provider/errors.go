package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What to do now, by kind of failure.
const (
	tryKey      = "store the right key with hobkin secrets set and name it in the provider's settings"
	tryLater    = "try again in a moment; if it stays so, choose another model"
	tryQuota    = "add credit at the provider, or choose another model"
	tryRate     = "wait a moment, then try again"
	tryContext  = "shorten the conversation or start a new one"
	tryRequest  = "choose another model, or start a new session"
	tryName     = "check the model's name and the base_url of the provider"
	tryNetwork  = "check that the server runs, its address and the network, then try again"
	trySettings = "check the base_url of the provider"
)

// statusError is what an answer with a bad status means.
func statusError(provider string, resp *http.Response, body []byte, secrets []string) *Error {
	said := parseError(body)
	e := said.error(provider, resp.StatusCode, secrets)
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	if resp.StatusCode/100 == 3 {
		e.Kind, e.Try = KindInvalid, trySettings
		e.Message = "the server sends requests on to another address"
		if to, err := resp.Location(); err == nil {
			e.Message += ", " + to.Scheme + "://" + to.Host
		}
	}
	if resp.StatusCode == http.StatusUnauthorized && len(secrets) == 0 {
		e.Message = "it wants a key and none is set"
	}
	return e
}

// A Fault is an error as providers write it into JSON.
type Fault struct {
	Message string
	Type    string
	Code    string
}

// ParseFault reads an error object, in any of the shapes that are in use: the
// object itself, a text, or either inside {"error": …}.
func ParseFault(raw json.RawMessage) Fault { return parseError(raw).Fault }

// Error makes the failure of it, for a fault that came inside an answer.
func (f Fault) Error(provider string) *Error {
	status, err := strconv.Atoi(f.Code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return said{Fault: f}.error(provider, status, nil)
}

// said is what a provider wrote about a failure.
type said struct {
	Fault
	page bool // it was a web page, of no use to a reader
}

func parseError(body []byte) said {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return said{page: true}
	}
	if list := []json.RawMessage(nil); json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	if text := ""; json.Unmarshal(body, &text) == nil {
		return said{Fault: Fault{Message: text}}
	}
	var o struct {
		Error    json.RawMessage `json:"error"`
		Message  string          `json:"message"`
		Detail   json.RawMessage `json:"detail"`
		Type     string          `json:"type"`
		Status   json.RawMessage `json:"status"`
		Code     json.RawMessage `json:"code"`
		Metadata struct {
			Raw json.RawMessage `json:"raw"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &o) != nil && o.Error == nil && o.Message == "" {
		return said{Fault: Fault{Message: string(body)}}
	}
	if len(o.Error) > 0 && string(o.Error) != "null" && (o.Error[0] == '{' || o.Error[0] == '"') {
		return parseError(o.Error)
	}
	f := Fault{Message: o.Message, Type: o.Type, Code: bare(o.Code)}
	if f.Message == "" {
		f.Message = bare(o.Detail)
	}
	if raw := bare(o.Metadata.Raw); raw != "" {
		f.Message += " (" + raw + ")"
	}
	f.Type += " " + bare(o.Status)
	return said{Fault: f}
}

// bare is a JSON text without its quotes, or any other value as it stands.
func bare(raw json.RawMessage) string {
	if s := ""; json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// error puts it into a sentence.
func (s said) error(provider string, status int, secrets []string) *Error {
	kind := classify(status, strings.ToLower(s.Type+" "+s.Code+" "+s.Message))
	e := &Error{Provider: provider, Kind: kind, Status: status}
	e.Message, e.Try = sentence(kind, status)
	where := ""
	if status != 0 {
		where = fmt.Sprintf("status %d", status)
	}
	if s.page {
		where = strings.TrimPrefix(where+", a web page instead of an answer", ", ")
	}
	if where != "" {
		e.Message += " (" + where + ")"
	}
	// A refusal of the key often repeats a part of it.
	if detail := clean(s.Message, secrets); detail != "" && status != http.StatusUnauthorized {
		e.Message += ": " + detail
	}
	return e
}

func sentence(kind Kind, status int) (message, try string) {
	switch kind {
	case KindAuth:
		if status == http.StatusForbidden {
			return "the key is not allowed to do this", tryKey
		}
		return "the key was not accepted", tryKey
	case KindQuota:
		return "the paid allowance is used up", tryQuota
	case KindRate:
		return "too many requests", tryRate
	case KindContext:
		return "the conversation is too long for this model", tryContext
	case KindOverloaded:
		return "the provider is overloaded or out of order", tryLater
	case KindInvalid, KindNetwork, KindResponse, KindTimeout:
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return "the model or the address is not known there", tryName
	}
	return "the request was not accepted", tryRequest
}

var (
	contextWords = []string{
		"context_length", "context length", "context window", "context size", "context limit", "exceed_context",
		"prompt is too long", "input is too long", "too many tokens", "maximum prompt length", "token count exceeds",
		"request_too_large", "exceeds the maximum number of tokens", "string_above_max_length", "reduce the length of the messages", "model_max_prompt_tokens",
	}
	quotaWords = []string{
		"insufficient_quota", "credit balance", "insufficient credit", "insufficient balance", "insufficient_funds",
		"billing", "spending limit", "payment required", "usage limit",
	}
	rateWords     = []string{"rate_limit", "rate limit", "too many requests", "resource_exhausted"}
	keyWords      = []string{"api key not valid", "api_key_invalid", "api key expired"} // some say it with status 400
	authWords     = []string{"authentication", "permission_error", "invalid_api_key", "unauthorized", "unauthenticated"}
	invalidWords  = []string{"invalid_request", "invalid_argument", "not_found", "invalid_prompt", "unsupported"}
	moderateWords = []string{"moderation", "flagged", "content policy", "safety"}
)

// classify sorts a failure. The words are lower case.
func classify(status int, words string) Kind {
	has := func(list []string) bool {
		for _, w := range list {
			if strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status != http.StatusUnauthorized && status != http.StatusTooManyRequests && has(contextWords):
		return KindContext
	case status != http.StatusUnauthorized && has(quotaWords):
		return KindQuota
	case status == http.StatusBadRequest && has(keyWords):
		return KindAuth
	case status != 0:
		return byStatus(status, has(moderateWords))
	case has(rateWords):
		return KindRate
	case has(authWords):
		return KindAuth
	case has(invalidWords), has(moderateWords):
		return KindInvalid
	}
	return KindOverloaded
}

func byStatus(status int, moderated bool) Kind {
	switch status {
	case http.StatusUnauthorized:
		return KindAuth
	case http.StatusForbidden:
		if moderated {
			return KindInvalid
		}
		return KindAuth
	case http.StatusPaymentRequired:
		return KindQuota
	case http.StatusTooManyRequests:
		return KindRate
	case http.StatusRequestTimeout, http.StatusConflict:
		return KindOverloaded
	case http.StatusRequestEntityTooLarge:
		return KindContext
	}
	if status >= 500 {
		return KindOverloaded
	}
	return KindInvalid
}

// retryAfter reads how long a provider asks to wait: retry-after-ms, or
// Retry-After as seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil {
		return wait(ms, time.Millisecond)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return wait(s, time.Second)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now).Round(time.Second))
	}
	return 0
}

// wait is n units, between nothing and a day.
func wait(n float64, unit time.Duration) time.Duration {
	const day = 24 * time.Hour
	if !(n > 0) { // also what is not a number
		return 0
	}
	if n > float64(day/unit) {
		return day
	}
	return time.Duration(n * float64(unit))
}

// unreached says why no connection came about.
func unreached(provider, base string, err error) *Error {
	e := &Error{Provider: provider, Kind: KindNetwork, Err: err, Try: tryNetwork}
	host := base
	if u, parseErr := url.Parse(base); parseErr == nil {
		host = u.Host
	}
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		rec  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &dns):
		e.Message = "the name " + dns.Name + " was not found"
	case errors.As(err, &cert):
		e.Message = "the certificate of " + host + " is not trusted"
	case errors.As(err, &rec):
		e.Message = host + " does not speak https"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		e.Message = host + " does not answer"
	case isRefused(err):
		e.Message = "nothing listens at " + host
	default:
		e.Message = host + " cannot be reached"
	}
	return e
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

// isRefused goes by the text: the error number differs between systems.
func isRefused(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && strings.Contains(op.Err.Error(), "refused")
}

// keyLike finds what looks like a key in the words of a provider.
var keyLike = regexp.MustCompile(`(?i)\b(sk|pk|rk|gsk|xai|key|AIza)[-_][A-Za-z0-9_\-*.]{6,}|\bbearer\s+\S+|\bAIza[A-Za-z0-9_\-]{10,}`)

// clean makes one short line of a provider's words, without secrets.
func clean(s string, secrets []string) string {
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, "…")
	}
	s = keyLike.ReplaceAllString(s, "…")
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return strings.TrimRight(s, ".")
}

// secretsOf lists the values of headers that were given for this provider.
func secretsOf(h http.Header) []string {
	var secrets []string
	for name, values := range h {
		name = strings.ToLower(name)
		if !strings.Contains(name, "auth") && !strings.Contains(name, "key") && !strings.Contains(name, "token") {
			continue
		}
		for _, v := range values {
			if _, token, ok := strings.Cut(v, " "); ok {
				v = token
			}
			if len(v) >= 4 {
				secrets = append(secrets, v)
			}
		}
	}
	return secrets
}

// loopback reports whether host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
