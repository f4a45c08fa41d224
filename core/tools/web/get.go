package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/version"
)

// A page is what a server sent. It does not change.
type page struct {
	final  *url.URL // where it came from, after redirects
	hops   []string // sentences on redirects to other hosts
	header string   // the Content-Type as it was sent
	body   []byte
	cut    bool      // there was more
	size   int64     // bytes it has, by the server's word; -1 when not said
	at     time.Time // when it came
}

// mediaType is the type without its parameters, in lower case; empty when the
// server does not say or says nonsense.
func (p *page) mediaType() string {
	t, _, err := mime.ParseMediaType(p.header)
	if err != nil {
		t, _, _ = strings.Cut(p.header, ";")
		t = strings.ToLower(strings.TrimSpace(t))
	}
	return t
}

// bare is an address without its scheme, as people and models write it.
var bare = lazy.Regexp(`^[\pL\pN-]+(\.[\pL\pN-]+)+(:\d+)?([/?#]|$)`)

// whole adds the scheme to a bare address.
func whole(address string) string {
	if address = strings.TrimSpace(address); bare().MatchString(address) {
		return "https://" + address
	}
	return address
}

// get returns a page, from the cache when it is there.
func (h *Host) get(ctx context.Context, call capability.Call, address string) (p *page, cached bool, err error) {
	l := h.limits()
	limited, cancel := context.WithTimeout(ctx, l.Whole)
	defer cancel()
	u, err := h.Guard.Check(limited, whole(address))
	if err != nil {
		return nil, false, reachFailure(ctx, &url.URL{Host: "the host"}, err)
	}
	u.Fragment, u.RawFragment = "", ""
	language := languages(call.Turn.Locale)
	key := language + "\n" + u.String()
	if p, ok := h.cache.get(key); ok {
		return p, true, nil
	}
	call.Progress("Fetching " + u.Host)
	p, keep, err := h.download(limited, u, language)
	if err != nil {
		return nil, false, reachFailure(ctx, u, err)
	}
	h.cache.put(key, p, keep, l.CacheBytes)
	return p, false, nil
}

// download asks the server. keep is how long the page may be used again.
func (h *Host) download(ctx context.Context, u *url.URL, language string) (p *page, keep time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; Hobkin/"+version.Version+")")
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown, application/json;q=0.9, application/pdf;q=0.9, text/*;q=0.8, */*;q=0.5")
	req.Header.Set("Accept-Language", language)
	p = &page{}
	client := http.Client{Transport: h.transport(), CheckRedirect: netguard.Redirects{Most: redirects, OnHop: p.hop}.Check}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if err := statusFailure(resp); err != nil {
		return nil, 0, err
	}
	most := h.limits().Body
	p.body, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && len(p.body) > 0) {
		return nil, 0, err
	}
	p.cut = err != nil || len(p.body) > most
	p.body = p.body[:min(len(p.body), most)]
	p.final, p.header, p.size, p.at = resp.Request.URL, resp.Header.Get("Content-Type"), resp.ContentLength, time.Now()
	if p.cut && err != nil { // what broke off is not the page
		return p, 0, nil
	}
	return p, keepFor(resp.Header, h.limits().Keep), nil
}

// hop notes a redirect to another host, which a reader should know of.
func (p *page) hop(from, to *url.URL) {
	if from.Host != to.Host {
		p.hops = append(p.hops, from.Host+" led on to "+to.Host)
	}
}

// languages is an Accept-Language for a BCP 47 tag.
func languages(locale string) string {
	base, _, _ := strings.Cut(locale, "-")
	switch {
	case base == "" || base == "en" || strings.ContainsFunc(locale, func(r rune) bool { return r != '-' && (r > 'z' || r < '0') }):
		return "en-US,en;q=0.8"
	case base == locale:
		return locale + ",en;q=0.7"
	}
	return locale + "," + base + ";q=0.9,en;q=0.7"
}
