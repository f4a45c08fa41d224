package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A grant is what is kept of one server: which client we are there, and what
// the owner has granted to it. All of it belongs to the issuer.
type grant struct {
	Issuer   string `json:"issuer"`
	Resource string `json:"resource"`
	Token    string `json:"token_endpoint"`

	Client clientID `json:"client"`

	Access  string    `json:"access,omitempty"`
	Refresh string    `json:"refresh,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // of Access; zero is not known
	Granted []string  `json:"granted,omitempty"`
	Wanted  []string  `json:"wanted,omitempty"` // scopes that were asked for, then and since
}

// A clientID is who we are to an issuer.
type clientID struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	Method string `json:"method,omitempty"` // of authentication at the token endpoint
	Port   int    `json:"port,omitempty"`   // of the redirect address that was registered
}

// early is how long before its end a token is not used any more.
const early = 20 * time.Second

// usable reports whether the access token may be sent.
func (g grant) usable(now time.Time) bool {
	return g.Access != "" && (g.Expires.IsZero() || now.Add(early).Before(g.Expires))
}

// load reads the grant once.
func (s *Session) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	text, err := s.o.Vault.Load(ctx, s.o.Key)
	if err != nil {
		return fmt.Errorf("oauth: what was granted cannot be read: %w", err)
	}
	s.loaded = true
	if text == "" {
		return nil
	}
	if json.Unmarshal([]byte(text), &s.grant) != nil {
		s.grant = grant{} // whoever signs in anew writes it anew
	}
	s.learn()
	return nil
}

// renewed takes in what another session of the same owner has stored meanwhile:
// a refresh token is good for one use only.
func (s *Session) renewed(ctx context.Context) (bool, error) {
	before := s.grant.Access
	s.loaded = false
	if err := s.load(ctx); err != nil {
		return false, err
	}
	return s.grant.Access != before && s.grant.usable(time.Now()), nil
}

// keep stores the grant.
func (s *Session) keep(ctx context.Context) error {
	s.learn()
	raw, err := json.Marshal(s.grant)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if err := s.o.Vault.Save(ctx, s.o.Key, string(raw)); err != nil {
		return fmt.Errorf("oauth: what was granted cannot be kept: %w", err)
	}
	return nil
}

func (s *Session) learn() {
	if s.o.Learn == nil {
		return
	}
	for _, v := range []string{s.grant.Access, s.grant.Refresh, s.grant.Client.Secret} {
		if v != "" {
			s.o.Learn(v)
		}
	}
}

// Forget deletes what is kept of a server.
func Forget(ctx context.Context, v Vault, key string) error { return v.Save(ctx, key, "") }
