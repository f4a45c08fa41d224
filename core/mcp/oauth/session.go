package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// A Session adds the owner's token to requests to one server.
type Session struct {
	o      Options
	server *url.URL
	turn   chan struct{} // held by whoever reads or changes what follows

	loaded bool
	grant  grant
	tried  []string // scopes that were signed in for since the start, after a server wanted more
}

// mostSteps is how often one request may lead to signing in.
const mostSteps = 3

// tooLittle is the error of a token without all the scopes that a request needs
// (RFC 6750, section 3.1).
const tooLittle = "insufficient_scope"

// New returns a session. Nothing is asked before the first request.
func New(o Options) (*Session, error) {
	u, err := url.Parse(o.Server)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("oauth: %s is not the address of a server", shown(o.Server))
	}
	s := &Session{o: o, server: u, turn: make(chan struct{}, 1)}
	if !s.may(u) && !local(u) {
		return nil, fmt.Errorf("signing in to %s is not safe: its address is not https", shown(o.Server))
	}
	return s, nil
}

// lock waits for the turn. Signing in takes its time, so it ends with ctx.
func (s *Session) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) unlock() { <-s.turn }

// RoundTrip implements [http.RoundTripper]. It signs in where the server wants
// that, and tries the request again then.
func (s *Session) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(req.URL, s.server) {
		return nil, fmt.Errorf("oauth: %s is another server", shown(req.URL.Host))
	}
	ctx := req.Context()
	token, err := s.token(ctx)
	if err != nil {
		return nil, err
	}
	for step := 0; ; step++ {
		res, err := s.send(req, token)
		if err != nil {
			return nil, err
		}
		c := challengeOf(res.Header)
		more := res.StatusCode == http.StatusForbidden && c.code == tooLittle
		if res.StatusCode != http.StatusUnauthorized && !more {
			return res, nil
		}
		drain(res)
		if step == mostSteps {
			return nil, errors.New("the server refuses every token")
		}
		if token, err = s.after(ctx, token, c, step == 0 && !more); err != nil {
			return nil, err
		}
	}
}

// send sends a request with a token; an empty one is left out.
func (s *Session) send(req *http.Request, token string) (*http.Response, error) {
	out := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, errors.New("oauth: a request that cannot be sent twice")
		}
		body, err := req.GetBody()
		if err != nil {
			return nil, fmt.Errorf("oauth: %w", err)
		}
		out.Body = body
	}
	out.Header.Del("Authorization")
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	return s.o.Base.RoundTrip(out)
}

// token is the token to begin with: renewed where it has ended, empty where
// there is none yet.
func (s *Session) token(ctx context.Context) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	if err := s.load(ctx); err != nil {
		return "", err
	}
	if s.o.Browser != nil && s.grant.Access != "" && !covers(union(s.grant.Granted, s.tried), s.grant.Wanted) {
		s.tried = union(s.tried, s.grant.Wanted) // who signs in does it for what was missing, too
		return "", nil
	}
	if s.grant.usable(time.Now()) {
		return s.grant.Access, nil
	}
	if s.grant.Access != "" {
		if ok, err := s.refresh(ctx); err != nil || !ok {
			return "", err
		}
	}
	return s.grant.Access, nil
}

// after is the token to go on with after the server refused one: renewed where
// that may help, else from a person.
func (s *Session) after(ctx context.Context, refused string, c challenge, renew bool) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	if s.grant.usable(time.Now()) && s.grant.Access != refused && refused != "" {
		return s.grant.Access, nil // someone else has renewed it meanwhile
	}
	if c.code == tooLittle {
		if covers(s.grant.Granted, c.scopes) || covers(s.tried, c.scopes) {
			return "", fmt.Errorf("the server wants %s, and refuses the token that has it", shown(fmt.Sprint(c.scopes)))
		}
		if s.o.Browser != nil {
			s.tried = union(s.tried, c.scopes)
		}
		c.scopes = union(s.grant.Granted, c.scopes)
	}
	err := s.renew(ctx, c, renew && refused != "")
	if errors.Is(err, ErrLogin) && c.code == tooLittle {
		err = fmt.Errorf("%w: %w", ErrScope, err)
	}
	if err != nil {
		return "", err
	}
	return s.grant.Access, nil
}

// SignedIn reports whether there is a token, and from whom.
func (s *Session) SignedIn(ctx context.Context) (issuer string, ok bool, err error) {
	if err := s.lock(ctx); err != nil {
		return "", false, err
	}
	defer s.unlock()
	if err := s.load(ctx); err != nil {
		return "", false, err
	}
	missing := slices.ContainsFunc(s.grant.Wanted, func(w string) bool { return !slices.Contains(s.grant.Granted, w) && w != "offline_access" })
	return s.grant.Issuer, s.grant.Access != "" && !missing, nil
}

// drain lets the connection be used again.
func drain(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // a broken one is not used again
	_ = res.Body.Close()
}
