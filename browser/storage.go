package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// A Cookie is one that the browser holds.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 for one of a session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite,omitempty"`
}

// own refuses what is not done in the person's own browser.
func (b *Browser) own(what string) error {
	if b.Attached() {
		return NotAttachedHere.Becausef("%s of the person's own browser are neither read nor changed", what)
	}
	return nil
}

// Cookies lists the cookies that the page at an address gets; an empty address
// is that of the tab. It fails in the person's own browser.
func (t *Tab) Cookies(ctx context.Context, address string) ([]Cookie, error) {
	if err := t.b.own("cookies"); err != nil {
		return nil, err
	}
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if address == "" {
		address = v.address()
	}
	var out struct {
		Cookies []Cookie `json:"cookies"`
	}
	err = v.session.CallAlways(ctx, "Network.getCookies", map[string]any{"urls": []string{address}}, &out)
	return out.Cookies, t.explain(v, err)
}

// SetCookie sets a cookie for the tab's page. Its domain must be the page's, or
// one above it.
func (t *Tab) SetCookie(ctx context.Context, c Cookie) error {
	if err := t.b.own("cookies"); err != nil {
		return err
	}
	v, done, err := t.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	if host := hostOf(v.address()); c.Domain != "" && !within(host, c.Domain) {
		return ScriptFailed.Becausef("a page of %s sets no cookie for %s", host, c.Domain).Trying("leave out the domain, or open a page of it first")
	}
	params := map[string]any{"name": c.Name, "value": c.Value, "url": v.address(), "httpOnly": c.HTTPOnly, "secure": c.Secure}
	for name, value := range map[string]string{"domain": c.Domain, "path": c.Path, "sameSite": c.SameSite} {
		if value != "" {
			params[name] = value
		}
	}
	if c.Expires > 0 {
		params["expires"] = c.Expires
	}
	if err := v.session.CallAlways(ctx, "Network.setCookie", params, nil); err != nil {
		if own, ok := asProtocol(err); ok {
			return ScriptFailed.Becausef("the cookie %s was not taken: %s", c.Name, own.Message).Trying("check its domain and path")
		}
		return t.explain(v, err)
	}
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// within reports whether a host is the domain of a cookie, or below it.
func within(host, domain string) bool {
	domain = strings.TrimPrefix(strings.ToLower(domain), ".")
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// DeleteCookies deletes the cookies with a name that the tab's page gets; an
// empty name is all of them. It returns how many there were.
func (t *Tab) DeleteCookies(ctx context.Context, name string) (int, error) {
	list, err := t.Cookies(ctx, "")
	if err != nil {
		return 0, err
	}
	v, done, err := t.use(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	n := 0
	for _, c := range list {
		if name != "" && c.Name != name {
			continue
		}
		if err := v.session.CallAlways(ctx, "Network.deleteCookies", map[string]any{"name": c.Name, "domain": c.Domain, "path": c.Path}, nil); err != nil {
			return n, t.explain(v, err)
		}
		n++
	}
	return n, nil
}

// An Area is where a page keeps text under names.
type Area string

// The areas.
const (
	Local   Area = "localStorage"
	Session Area = "sessionStorage"
)

// Storage is what the tab's page keeps in an area. It fails in the person's own
// browser.
func (t *Tab) Storage(ctx context.Context, area Area) (map[string]string, error) {
	raw, err := t.inStorage(ctx, area, "return JSON.stringify(Object.fromEntries(Object.entries(area)))")
	if err != nil {
		return nil, err
	}
	var text string
	items := map[string]string{}
	if err = json.Unmarshal(raw, &text); err == nil {
		err = json.Unmarshal([]byte(text), &items)
	}
	if err != nil {
		return nil, fmt.Errorf("browser: reading what a page stores: %w", err)
	}
	return items, nil
}

// SetStorage keeps a text under a name; a nil text removes it.
func (t *Tab) SetStorage(ctx context.Context, area Area, name string, text *string) (err error) {
	if text == nil {
		_, err = t.inStorage(ctx, area, "area.removeItem(args[0])", name)
		return err
	}
	_, err = t.inStorage(ctx, area, "area.setItem(args[0], args[1])", name, *text)
	return err
}

// ClearStorage empties an area.
func (t *Tab) ClearStorage(ctx context.Context, area Area) error {
	_, err := t.inStorage(ctx, area, "area.clear()")
	return err
}

// inStorage runs the body of a function of an area and args.
func (t *Tab) inStorage(ctx context.Context, area Area, body string, args ...string) (json.RawMessage, error) {
	if err := t.b.own("stored texts"); err != nil {
		return nil, err
	}
	if area != Local && area != Session {
		return nil, ScriptFailed.Becausef("%q is neither localStorage nor sessionStorage", area)
	}
	given, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	return t.Evaluate(ctx, "", fmt.Sprintf("((area, args) => { %s })(window.%s, %s)", body, area, given))
}
