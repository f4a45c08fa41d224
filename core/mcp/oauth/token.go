package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A refusal is an error of an authorization server (RFC 6749, section 5.2).
type refusal struct {
	Status int    `json:"-"`
	Code   string `json:"error"`
	Text   string `json:"error_description"`
}

// Error implements error.
func (r *refusal) Error() string {
	switch {
	case r.Text != "":
		return "it refuses: " + shown(r.Text)
	case r.Code != "":
		return "it refuses: " + shown(r.Code)
	}
	return fmt.Sprintf("it answered HTTP %d", r.Status)
}

// tokens is the answer of a token endpoint.
type tokens struct {
	Access  string  `json:"access_token"`
	Type    string  `json:"token_type"`
	Refresh string  `json:"refresh_token"`
	Expires float64 `json:"expires_in"`
	Scope   string  `json:"scope"`
}

// exchange asks for tokens and takes them into the grant. The grant names the
// endpoint, the client and the resource.
func (s *Session) exchange(ctx context.Context, form url.Values, scopes []string) error {
	form.Set("resource", s.grant.Resource)
	got, err := s.tokens(ctx, form)
	if err != nil {
		return err
	}
	switch {
	case got.Access == "":
		return errors.New("the authorization server gave no token")
	case got.Type != "" && !strings.EqualFold(got.Type, "bearer"):
		return fmt.Errorf("the authorization server gave a token of the type %s, which is not supported", shown(got.Type))
	}
	s.grant.Access, s.grant.Expires, s.grant.Granted = got.Access, time.Time{}, scopes
	if got.Refresh != "" {
		s.grant.Refresh = got.Refresh
	}
	if got.Expires > 0 {
		s.grant.Expires = time.Now().Add(time.Duration(min(got.Expires, 1e9)) * time.Second)
	}
	if got.Scope != "" {
		s.grant.Granted = strings.Fields(got.Scope)
	}
	return s.keep(ctx)
}

func (s *Session) tokens(ctx context.Context, form url.Values) (got tokens, err error) {
	c := s.grant.Client
	if c.Method != byBasic {
		form.Set("client_id", c.ID)
	}
	if c.Method == byPost {
		form.Set("client_secret", c.Secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.grant.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return got, fmt.Errorf("oauth: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.Method == byBasic {
		req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret)) // RFC 6749, section 2.3.1
	}
	return got, s.ask(req, &got)
}

// ask makes a request that is answered by JSON.
func (s *Session) ask(req *http.Request, into any) error {
	req.Header.Set("Accept", "application/json")
	res, err := s.o.Client.Do(req)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		r := &refusal{Status: res.StatusCode}
		_ = json.Unmarshal(raw, r) // what is no JSON says nothing
		return r
	}
	if json.Unmarshal(raw, into) != nil { // the error could quote a token
		return errors.New("its answer cannot be read: it is no JSON")
	}
	return nil
}

// refresh gets a new access token without anyone. It reports false where that
// is not possible (any more).
func (s *Session) refresh(ctx context.Context) (bool, error) {
	if done, err := s.renewed(ctx); done || err != nil {
		return done, err
	}
	if s.grant.Refresh == "" {
		return false, nil
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {s.grant.Refresh}}
	err := s.exchange(ctx, form, s.grant.Granted)
	var r *refusal
	switch {
	case errors.As(err, &r) && r.Status < 500 && r.Status != http.StatusTooManyRequests: // it is not valid any more
		s.grant.Access, s.grant.Refresh = "", ""
		return false, s.keep(ctx)
	case err != nil:
		return false, fmt.Errorf("renewing the token: %w", err)
	}
	return true, nil
}
