package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// mostAnswer is how long an answer of the metadata and token endpoints may be,
// in bytes.
const mostAnswer = 1 << 20

// A resource is how a server describes itself (RFC 9728).
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// An issuer is an authorization server (RFC 8414).
type issuer struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	Grants        []string `json:"grant_types_supported"`
	SendsIss      bool     `json:"authorization_response_iss_parameter_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
}

var errNone = errors.New("there is none")

// describe reads how the server describes itself: where its challenge says, else
// at the well-known places. One that does not is its own authorization server,
// as it was before the protocol's revision of June 2025.
func (s *Session) describe(ctx context.Context, c challenge) (resource, error) {
	var places []string
	if u, err := url.Parse(c.metadata); err == nil && c.metadata != "" && sameOrigin(u, s.server) {
		places = append(places, c.metadata)
	}
	root := url.URL{Scheme: s.server.Scheme, Host: s.server.Host, Path: "/.well-known/oauth-protected-resource"}
	if path := strings.TrimRight(s.server.Path, "/"); path != "" {
		places = append(places, root.String()+path)
	}
	for _, place := range append(places, root.String()) {
		var r resource
		err := s.get(ctx, place, &r)
		if errors.Is(err, errNone) {
			continue
		}
		if err != nil {
			return r, err
		}
		return r, s.judge(r)
	}
	origin := url.URL{Scheme: s.server.Scheme, Host: s.server.Host}
	return resource{Resource: s.canonical(), Servers: []string{origin.String()}}, nil
}

// judge refuses a description of another server: its token would be for that
// one (RFC 8707).
func (s *Session) judge(r resource) error {
	u, err := url.Parse(r.Resource)
	if err != nil || r.Resource == "" || !sameOrigin(u, s.server) || !within(s.server.Path, u.Path) || u.Fragment != "" {
		return fmt.Errorf("the server describes itself as %s, which is not its address", shown(r.Resource))
	}
	if len(r.Servers) == 0 {
		return errors.New("the server names no authorization server")
	}
	return nil
}

// within reports whether path is base or lies under it.
func within(path, base string) bool {
	base = strings.TrimRight(base, "/")
	return base == "" || path == base || strings.HasPrefix(path, base+"/")
}

// canonical is the server's address as the name of a resource.
func (s *Session) canonical() string {
	u := *s.server
	u.Fragment, u.User = "", nil
	return strings.TrimSuffix(u.String(), "/")
}

// issuerOf reads how an authorization server describes itself.
func (s *Session) issuerOf(ctx context.Context, name string) (issuer, error) {
	base, err := url.Parse(name)
	if err != nil || !s.may(base) {
		return issuer{}, fmt.Errorf("the authorization server %s cannot be used: its address is not https", shown(name))
	}
	for _, place := range issuerPlaces(base) {
		var i issuer
		err := s.get(ctx, place, &i)
		if errors.Is(err, errNone) {
			continue
		}
		if err != nil {
			return i, err
		}
		return i, s.trust(i, name)
	}
	if sameOrigin(base, s.server) && strings.Trim(base.Path, "/") == "" { // the defaults of the first revisions
		return issuer{Issuer: name, Authorization: name + "/authorize", Token: name + "/token", Registration: name + "/register"}, nil
	}
	return issuer{}, fmt.Errorf("the authorization server %s does not describe itself", shown(name))
}

// issuerPlaces are the well-known places of an issuer, in the order that the
// protocol asks for.
func issuerPlaces(base *url.URL) []string {
	root := url.URL{Scheme: base.Scheme, Host: base.Host}
	at, path := root.String(), strings.TrimRight(base.Path, "/")
	out := []string{at + "/.well-known/oauth-authorization-server" + path, at + "/.well-known/openid-configuration" + path}
	if path != "" {
		out = append(out, at+path+"/.well-known/openid-configuration")
	}
	return out
}

// trust refuses metadata of another issuer than the one that was asked for, and
// endpoints that could be overheard.
func (s *Session) trust(i issuer, name string) error {
	if i.Issuer != name {
		return fmt.Errorf("the metadata of the authorization server %s is that of %s", shown(name), shown(i.Issuer))
	}
	for _, end := range []string{i.Authorization, i.Token, i.Registration} {
		u, err := url.Parse(end)
		if end == i.Registration && end == "" {
			continue
		}
		if err != nil || !s.may(u) {
			return fmt.Errorf("the authorization server %s names the endpoint %s, which is not https", shown(name), shown(end))
		}
	}
	if !slices.Contains(i.Challenges, "S256") {
		return fmt.Errorf("the authorization server %s does not support PKCE with S256; without it a login could be stolen", shown(name))
	}
	return nil
}

// may reports whether secrets may be sent to u: over https, or within this
// machine where the server itself is.
func (s *Session) may(u *url.URL) bool {
	if u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && local(u) && local(s.server)
}

func local(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// get reads a JSON document; errNone where the place has none.
func (s *Session) get(ctx context.Context, place string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, place, http.NoBody)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	res, err := s.o.Client.Do(req)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 400 && res.StatusCode < 500 {
		return errNone
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered HTTP %d", shown(place), res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s is no metadata: %w", shown(place), err)
	}
	return nil
}

// sameOrigin reports whether both addresses have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// shown is text of others as it may stand in a message: no control characters,
// not long, quoted.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u202e' || r == '\u2066' {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return `"` + text + `"`
}
