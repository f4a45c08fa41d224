package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// The ways to authenticate at a token endpoint.
const (
	byBasic = "client_secret_basic"
	byPost  = "client_secret_post"
	byNone  = "none"
)

// who is the client we are to an issuer, as far as it is known without asking:
// one that was registered by hand, or the one of before.
func (s *Session) who(i issuer) (c clientID, known bool) {
	if s.o.ClientID != "" && (s.o.Issuer == "" && (s.grant.Issuer == "" || s.grant.Issuer == i.Issuer) || s.o.Issuer == i.Issuer) {
		c = clientID{ID: s.o.ClientID, Secret: s.o.ClientSecret, Method: byNone}
		if c.Secret != "" {
			c.Method = secretMethod(i)
		}
		return c, true
	}
	if s.grant.Issuer == i.Issuer && s.grant.Client.ID != "" {
		return s.grant.Client, true
	}
	if i.Documents && s.o.Document != "" {
		return clientID{ID: s.o.Document, Method: byNone}, true
	}
	return clientID{}, false
}

// secretMethod is how to send a secret: basic, unless the issuer takes only the
// other way.
func secretMethod(i issuer) string {
	if len(i.Methods) > 0 && !slices.Contains(i.Methods, byBasic) && slices.Contains(i.Methods, byPost) {
		return byPost
	}
	return byBasic
}

// method is the way of authentication that is asked for at registration: none,
// as no secret of a program on a person's machine is one, where that is taken.
func method(i issuer) string {
	if slices.Contains(i.Methods, byNone) {
		return byNone
	}
	return secretMethod(i)
}

// register makes us a client of the issuer (RFC 7591), with the redirect address
// that is listened on.
func (s *Session) register(ctx context.Context, i issuer, redirect string, port int, scopes string) (clientID, error) {
	if i.Registration == "" {
		return clientID{}, fmt.Errorf("the authorization server %s takes no unknown programs; register one there and name it with client_id in the settings", shown(i.Issuer))
	}
	want := map[string]any{
		"client_name": "Hobkin", "application_type": "native", "redirect_uris": []string{redirect},
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
		"token_endpoint_auth_method": method(i),
	}
	if scopes != "" {
		want["scope"] = scopes
	}
	raw, err := json.Marshal(want)
	if err != nil {
		return clientID{}, fmt.Errorf("oauth: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, i.Registration, bytes.NewReader(raw))
	if err != nil {
		return clientID{}, fmt.Errorf("oauth: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	var got struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Method string `json:"token_endpoint_auth_method"`
	}
	if err := s.ask(req, &got); err != nil {
		return clientID{}, fmt.Errorf("registering at %s: %w", shown(i.Issuer), err)
	}
	if got.ID == "" {
		return clientID{}, errors.New("the authorization server registered us without a client_id")
	}
	if got.Method == "" {
		got.Method = method(i)
	}
	if got.Secret == "" {
		got.Method = byNone
	}
	return clientID{ID: got.ID, Secret: got.Secret, Method: got.Method, Port: port}, nil
}
