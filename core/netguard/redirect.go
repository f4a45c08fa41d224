package netguard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Redirects is the policy for redirects of an [http.Client], by its method
// Check. Whoever is redirected to decides nothing about what was meant for
// somebody else, so once a request has left the origin (scheme, host and port)
// that it was made for:
//
//   - every header stays behind but a few that say nothing of the sender
//     (GO-2026-6911 is a library that sent them all along);
//   - a body is not sent again, and no method but GET and HEAD is repeated;
//   - coming back to the first origin brings nothing back;
//   - from https to http nothing that held credentials is followed at all.
//
// Headers that a [http.RoundTripper] below the client adds are out of its reach.
type Redirects struct {
	Most         int                     // followed; 0 is 5, below 0 none: the redirect itself is the answer
	StayOnOrigin bool                    // follow none to another origin
	OnHop        func(from, to *url.URL) // told of each before it is followed; may be nil
}

// SameOriginRedirects is the policy of clients that carry credentials: no
// redirect leaves the origin. Then next is asked, if it is not nil.
func SameOriginRedirects(next func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	p := Redirects{StayOnOrigin: true}
	return func(req *http.Request, via []*http.Request) error {
		if err := p.Check(req, via); err != nil || next == nil {
			return err
		}
		return next(req, via)
	}
}

// Check fits [http.Client.CheckRedirect].
func (p Redirects) Check(req *http.Request, via []*http.Request) error {
	most := p.Most
	if most == 0 {
		most = 5
	}
	first, last := via[0], via[len(via)-1]
	switch {
	case most < 0:
		return http.ErrUseLastResponse
	case slices.ContainsFunc(via, func(r *http.Request) bool { return r.Method == req.Method && r.URL.String() == req.URL.String() }):
		return TooManyRedirects.Becausef("%s leads in a circle back to itself", quote(req.URL.Redacted()))
	case len(via) > most:
		return TooManyRedirects.Becausef("%s leads on more than %d times", quote(first.URL.Redacted()), most)
	case last.URL.Scheme == "https" && req.URL.Scheme == "http" && hasCredentials(first.Header):
		return RefusedRedirect.Becausef("%s leads from https to http, where a key could be read on the way", last.URL.Host)
	}
	if slices.ContainsFunc(append(via[1:len(via):len(via)], req), func(r *http.Request) bool { return !sameOrigin(r.URL, first.URL) }) {
		if err := p.leave(req, last); err != nil {
			return err
		}
	}
	if p.OnHop != nil {
		p.OnHop(last.URL, req.URL)
	}
	return nil
}

// leave readies a request for another origin than the first one's.
func (p Redirects) leave(req, last *http.Request) error {
	switch {
	case p.StayOnOrigin:
		return RefusedRedirect.Becausef("%s leads to %s, another host, and was not followed", last.URL.Host, req.URL.Host)
	case req.Body != nil && req.Body != http.NoBody, req.Method != http.MethodGet && req.Method != http.MethodHead:
		return RefusedRedirect.Becausef("%s wants what was sent to it to be sent to %s too, which was not done", last.URL.Host, req.URL.Host)
	}
	strip(req.Header)
	return nil
}

// impersonal are the headers that may follow to another origin.
var impersonal = []string{"Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Pragma", "Range", "User-Agent", "Dnt", "Upgrade-Insecure-Requests"}

func strip(h http.Header) {
	for name := range h {
		if !slices.Contains(impersonal, http.CanonicalHeaderKey(name)) {
			delete(h, name)
		}
	}
}

// hasCredentials reports whether a header holds anything that may be a key:
// whatever is not known to be harmless.
func hasCredentials(h http.Header) bool {
	for name := range h {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Type", "Referer", "If-Modified-Since", "If-None-Match":
		default:
			if !slices.Contains(impersonal, http.CanonicalHeaderKey(name)) {
				return true
			}
		}
	}
	return false
}

func sameOrigin(a, b *url.URL) bool {
	pa, errA := portOf(a)
	pb, errB := portOf(b)
	return errA == nil && errB == nil && a.Scheme == b.Scheme && pa == pb &&
		strings.EqualFold(strings.TrimSuffix(a.Hostname(), "."), strings.TrimSuffix(b.Hostname(), "."))
}
