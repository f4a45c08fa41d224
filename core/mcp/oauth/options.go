package oauth

import (
	"context"
	"errors"
	"net/http"
)

// ErrLogin is returned when someone has to sign in and no one is there to.
var ErrLogin = errors.New("you have to sign in first")

// ErrScope is returned together with [ErrLogin] when a request needs more than
// was granted: others go on as before.
var ErrScope = errors.New("it needs more than you granted")

// A Vault keeps secrets by name.
type Vault interface {
	// Load returns a secret, or an empty text where there is none.
	Load(ctx context.Context, name string) (string, error)
	// Save keeps a secret; an empty one is deleted.
	Save(ctx context.Context, name, value string) error
}

// A Browser shows a page to the person who signs in.
type Browser interface {
	// Open shows the page at an address, https or on this machine. It does not
	// wait for what is done there.
	Open(ctx context.Context, address string) error
}

// Options say how to sign in to one server.
type Options struct {
	Server string // its address
	Key    string // the name in Vault
	Vault  Vault
	// Base makes the requests to the server. It must follow no redirects, as no
	// [http.RoundTripper] does.
	Base http.RoundTripper
	// Client asks for metadata and tokens. Its redirects must stay on their
	// origin.
	Client *http.Client
	// Browser is nil where no one can sign in.
	Browser Browser
	// Learn is told each token and each secret, so that they can be hidden. May
	// be nil.
	Learn func(values ...string)

	// ClientID and ClientSecret are those of a client that was registered by
	// hand. They are for Issuer alone; where that is empty, for the issuer that
	// the server names first.
	ClientID, ClientSecret, Issuer string
	// Document is the address of a document that describes this client, for
	// servers that take such as a client's id. Empty where there is none.
	Document string
}
