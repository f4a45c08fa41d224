package websearch

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/hobkin/hobkin/core/webpage"
)

const (
	mostTitle   = 200 // characters
	mostSnippet = 600
	mostURL     = 2000
)

// clean keeps what is a page with a direct address, each once, count at most.
func clean(hits []Hit, count int) []Hit {
	out := []Hit{}
	seen := map[string]bool{}
	for _, h := range hits {
		u, ok := direct(h.URL)
		if !ok || seen[sameness(u)] || len(out) == count {
			continue
		}
		seen[sameness(u)] = true
		h.URL = u.String()
		h.Title, h.Snippet, h.Date = words(h.Title, mostTitle), words(h.Snippet, mostSnippet), words(h.Date, 40)
		if h.Title == "" {
			h.Title = u.Host
		}
		out = append(out, h)
	}
	return out
}

// direct follows the addresses by which engines count clicks to the page they
// lead to. Advertisements and everything that is no page of the web are out.
func direct(raw string) (*url.URL, bool) {
	for range 3 { // links within links
		u, err := url.Parse(strings.TrimSpace(raw))
		if err != nil || len(raw) > mostURL {
			return nil, false
		}
		if u.Scheme == "" && u.Host != "" {
			u.Scheme = "https"
		}
		if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
			return nil, false
		}
		to, wrapped := target(u)
		if !wrapped {
			trim(u)
			return u, true
		}
		raw = to
	}
	return nil, false
}

// target is where an address of an engine leads to; empty for advertisements.
func target(u *url.URL) (to string, wrapped bool) {
	host, q := strings.TrimPrefix(u.Hostname(), "www."), u.Query()
	switch {
	case under(host, "duckduckgo.com") && strings.HasPrefix(u.Path, "/l/"):
		return q.Get("uddg"), true
	case under(host, "duckduckgo.com") && u.Path == "/y.js":
		return "", true
	case strings.HasPrefix(host, "google.") && u.Path == "/url":
		return q.Get("q") + q.Get("url"), true
	case strings.HasPrefix(host, "google.") && u.Path == "/aclk", under(host, "bing.com") && u.Path == "/aclick":
		return "", true
	case under(host, "bing.com") && u.Path == "/ck/a":
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(q.Get("u"), "a1"))
		if err != nil {
			return "", true
		}
		return string(raw), true
	}
	return "", false
}

func under(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }

// trim takes off what says only who led a reader to a page.
func trim(u *url.URL) {
	if u.RawQuery == "" {
		return
	}
	kept := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool { return strings.HasPrefix(pair, "utm_") })
	u.RawQuery = strings.Join(kept, "&")
}

// sameness is equal for addresses that lead to the same page.
func sameness(u *url.URL) string {
	host := strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), "www.")
	if p := u.Port(); p != "" && p != "80" && p != "443" {
		host += ":" + p
	}
	pairs := strings.Split(u.RawQuery, "&")
	slices.Sort(pairs)
	return host + strings.TrimSuffix(u.EscapedPath(), "/") + "?" + strings.Join(pairs, "&")
}

// words is text that may hold HTML, on one line of at most so many characters.
func words(s string, most int) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			out := strings.Join(strings.Fields(webpage.Visible(strings.ToValidUTF8(b.String(), "\ufffd"))), " ")
			if r := []rune(out); len(r) > most {
				return string(r[:most-1]) + "…"
			}
			return out
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); slices.Contains([]string{"br", "p", "div", "li"}, string(name)) {
				b.WriteByte(' ')
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// day shortens an instant to its day. Other forms, such as "3 days ago", stay.
func day(s string) string {
	if len(s) > 10 && s[4] == '-' && s[7] == '-' && (s[10] == 'T' || s[10] == ' ') {
		return s[:10]
	}
	return s
}
