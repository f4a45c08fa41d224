package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// loginTime is how long a person may take to sign in.
const loginTime = 5 * time.Minute

// renew gets a token after the server refused the one of before: for the
// challenge's scopes, from the issuer that the server names now.
func (s *Session) renew(ctx context.Context, c challenge, refresh bool) error {
	about, err := s.describe(ctx, c)
	if err != nil {
		return err
	}
	same := slices.Contains(about.Servers, s.grant.Issuer) && s.grant.Issuer != ""
	if same && refresh {
		s.grant.Resource = about.Resource
		if ok, err := s.refresh(ctx); ok || err != nil {
			return err
		}
	}
	name := about.Servers[0]
	if same {
		name = s.grant.Issuer
	}
	want := c.scopes
	if len(want) == 0 {
		want = about.Scopes
	}
	if same {
		want = union(s.grant.Wanted, want)
	}
	if s.o.Browser == nil {
		return s.postpone(ctx, same, want)
	}
	return s.login(ctx, name, about.Resource, want)
}

// postpone keeps what the next one who signs in is to be asked for.
func (s *Session) postpone(ctx context.Context, same bool, want []string) error {
	if same && !covers(s.grant.Wanted, want) {
		s.grant.Wanted = want
		if err := s.keep(ctx); err != nil {
			return err
		}
	}
	return ErrLogin
}

// login lets a person sign in: the authorization code grant with PKCE, of a
// native app (RFC 8252).
func (s *Session) login(ctx context.Context, name, resource string, want []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, errors.New("no one signed in within 5 minutes"))
	defer cancel()
	i, err := s.issuerOf(ctx, name)
	if err != nil {
		return err
	}
	if slices.Contains(i.Scopes, "offline_access") && len(want) > 0 {
		want = union(want, []string{"offline_access"})
	}
	c, known := s.who(i)
	back, err := listen(c.Port)
	if err != nil {
		return err
	}
	defer back.close() //nolint:contextcheck // also when ctx has ended
	if !known || c.Port != 0 && c.Port != back.port {
		if c, err = s.register(ctx, i, back.address(), back.port, strings.Join(want, " ")); err != nil {
			return err
		}
	}
	before := s.grant
	s.grant = grant{Issuer: i.Issuer, Resource: resource, Token: i.Token, Client: c, Wanted: want}
	if err := s.redeem(ctx, i, back, want); err != nil {
		s.grant = before
		return err
	}
	return nil
}

// redeem sends a person to sign in and makes what comes back into tokens.
func (s *Session) redeem(ctx context.Context, i issuer, back *loopback, want []string) error {
	code, verifier, err := s.code(ctx, i, back, want)
	if err != nil {
		return err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {back.address()}, "code_verifier": {verifier},
	}
	if err := s.exchange(ctx, form, want); err != nil {
		return fmt.Errorf("signing in at %s: %w", shown(i.Issuer), err)
	}
	return nil
}

// code sends the person to the issuer's page and waits for what comes back.
func (s *Session) code(ctx context.Context, i issuer, back *loopback, want []string) (code, verifier string, err error) {
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	page, err := url.Parse(i.Authorization)
	if err != nil {
		return "", "", fmt.Errorf("oauth: %w", err)
	}
	q := page.Query()
	for k, v := range map[string]string{
		"response_type": "code", "client_id": s.grant.Client.ID, "redirect_uri": back.address(), "state": state,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
		"resource": s.grant.Resource, "scope": strings.Join(want, " "),
	} {
		if v != "" {
			q.Set(k, v)
		}
	}
	if slices.Contains(want, "offline_access") {
		q.Set("prompt", "consent") // OpenID Connect gives no refresh token without
	}
	page.RawQuery = q.Encode()
	back.expect(state)
	if err := s.o.Browser.Open(ctx, page.String()); err != nil {
		return "", "", fmt.Errorf("the page to sign in cannot be opened: %w", err)
	}
	got, err := back.wait(ctx)
	if err != nil {
		return "", "", err
	}
	if err := answered(i, got); err != nil {
		return "", "", err
	}
	return got.Get("code"), verifier, nil
}

// answered judges what came back. Who sent it must be the issuer we sent the
// person to, to the letter (RFC 9207).
func answered(i issuer, got url.Values) error {
	switch {
	case got.Has("iss") && got.Get("iss") != i.Issuer:
		return fmt.Errorf("the answer came from %s, not from %s: nothing was sent to either", shown(got.Get("iss")), shown(i.Issuer))
	case i.SendsIss && !got.Has("iss"):
		return fmt.Errorf("the answer does not say that it comes from %s, as it should", shown(i.Issuer))
	case got.Has("error"):
		return fmt.Errorf("signing in at %s: %w", shown(i.Issuer), &refusal{Code: got.Get("error"), Text: got.Get("error_description")})
	case got.Get("code") == "":
		return errors.New("the answer of the authorization server holds no code")
	}
	return nil
}
