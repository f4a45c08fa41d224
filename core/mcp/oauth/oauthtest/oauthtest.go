// Package oauthtest has what a sign-in needs besides a server, for tests: a
// place for tokens, and a person at a browser.
package oauthtest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// A Vault keeps tokens in memory. The zero Vault is empty.
type Vault struct {
	mu     sync.Mutex
	values map[string]string
}

// Load implements the vault of package oauth.
func (v *Vault) Load(_ context.Context, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.values[name], nil
}

// Save implements the vault of package oauth.
func (v *Vault) Save(_ context.Context, name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.values == nil {
		v.values = map[string]string{}
	}
	v.values[name] = value
	return nil
}

// Willing is a browser whose person agrees to everything: it follows the
// redirects back to us. Pages are those that it was asked to open.
type Willing struct{ Pages []string }

// Open implements the browser of package oauth.
func (w *Willing) Open(ctx context.Context, address string) error {
	w.Pages = append(w.Pages, address)
	return Visit(ctx, address)
}

// Visit reads a page and those that it leads on to.
func Visit(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, res.Body) // it was only looked at
	return res.Body.Close()
}
