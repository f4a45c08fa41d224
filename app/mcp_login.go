package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/oauth"
	"github.com/hobkin/hobkin/core/mcp/outbound"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/secret"
)

// vault keeps what was granted at tool servers among the owner's secrets.
type vault struct{ secrets *secret.Store }

// Load implements [oauth.Vault].
func (v vault) Load(ctx context.Context, name string) (string, error) {
	value, err := v.secrets.Get(ctx, name)
	if errors.Is(err, secret.ErrNotFound) {
		return "", nil
	}
	return value.Reveal(), err
}

// Save implements [oauth.Vault].
func (v vault) Save(ctx context.Context, name, value string) error {
	if value != "" {
		return v.secrets.Set(ctx, name, value)
	}
	if err := v.secrets.Delete(ctx, name); !errors.Is(err, secret.ErrNotFound) {
		return err
	}
	return nil
}

// loginKey is the name of the secret with what was granted at a server. No
// variable of a server, mcp-SERVER-VARIABLE, has such a name.
func loginKey(server string) string { return "mcp-login/" + server }

// oauth says how to sign in to a server of the settings. No one is there to:
// that takes [Core.loginServer].
func (c *Core) oauth(ctx context.Context, name string, s config.MCPServer) *oauth.Options {
	ctx = context.WithoutCancel(ctx) // what is found out here outlives who asked first
	o := &oauth.Options{
		Key: loginKey(name), Vault: vault{c.secrets}, Learn: c.redactor.Add, Client: c.signInClient(ctx, s.URL),
		ClientID: s.ClientID, Document: c.cfg.Load().MCP.Document,
	}
	if s.ClientSecret != "" {
		v, err := c.secrets.Resolve(ctx, s.ClientSecret)
		if err != nil {
			slog.WarnContext(ctx, "app: the client secret of a tool server cannot be read", "server", name, "error", err)
		}
		o.ClientSecret = v.Reveal()
	}
	return o
}

// signInTime is how long one request to an authorization server may take.
const signInTime = 30 * time.Second

// signInClient asks authorization servers. Which those are, the server says: so
// where it is out on the network it cannot make us ask inside.
func (c *Core) signInClient(ctx context.Context, server string) *http.Client {
	if _, err := c.guard.Check(ctx, server); err == nil {
		return c.guard.Client(netguard.ClientOptions{Timeout: signInTime, StayOnOrigin: true})
	}
	inside := c.serverClient()
	inside.Timeout = signInTime
	return inside
}

// logins are those that are under way, by server, and what servers were told.
type logins struct {
	mu    sync.Mutex
	open  map[string]*signIn
	roots []string // that servers were told
}

// A signIn is a person signing in to a server. It is a [oauth.Browser]: the page
// is handed to who asked for it, who has the person before them.
type signIn struct {
	page   chan string
	cancel context.CancelFunc
	done   chan struct{}  // closed when server is there
	server control.Server // how it was then
}

// Open implements [oauth.Browser].
func (l *signIn) Open(_ context.Context, address string) error {
	select {
	case l.page <- address:
		return nil
	default:
		return errors.New("the server wants another login right after the first")
	}
}

// end stops all that are under way. It does not wait.
func (l *logins) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.open {
		one.cancel()
	}
}

// loginLimit is how long signing in may take, with all that belongs to it.
const loginLimit = 6 * time.Minute

// loginServer begins to sign in: it connects as always, but with a person.
func (c *Core) loginServer(ctx context.Context, id control.ID) (control.ServerLogin, error) {
	s, ok := c.cfg.Load().MCP.Servers[id.ID]
	if !ok {
		return control.ServerLogin{}, c.noServer(id.ID)
	}
	if s.Auth != "oauth" {
		return control.ServerLogin{}, &control.Error{Code: "no_login", Message: fmt.Sprintf("the server %s is not one to sign in to", id.ID), Try: `set auth = "oauth" in its settings first`}
	}
	l := c.beginLogin(ctx, id.ID, s)
	select {
	case page := <-l.page:
		return control.ServerLogin{Page: page}, nil
	case <-l.done:
		return control.ServerLogin{}, nil
	case <-ctx.Done():
		return control.ServerLogin{}, ctx.Err()
	}
}

// beginLogin starts signing in; one that is under way is given up.
func (c *Core) beginLogin(ctx context.Context, name string, s config.MCPServer) *signIn {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &signIn{page: make(chan string, 1), done: make(chan struct{}), cancel: cancel}
	c.servers.mu.Lock()
	if c.servers.open == nil {
		c.servers.open = map[string]*signIn{}
	}
	if before := c.servers.open[name]; before != nil {
		before.cancel()
	}
	c.servers.open[name] = l
	c.servers.mu.Unlock()
	spec := c.serverSpec(ctx, name, s)
	spec.OAuth.Browser, spec.StartTime = l, loginLimit
	c.servers.tasks.Go(func() {
		defer close(l.done)
		defer cancel()
		l.server = shownTest(c.servers.Test(ctx, spec))
	})
	return l
}

// awaitLogin waits until signing in has ended. The server is used then.
func (c *Core) awaitLogin(ctx context.Context, id control.ID) (control.Server, error) {
	c.servers.mu.Lock()
	l := c.servers.open[id.ID]
	c.servers.mu.Unlock()
	if l == nil {
		return control.Server{}, &control.Error{Code: "no_login", Message: "no one is signing in to " + id.ID, Try: "begin with: hobkin mcp login " + id.ID}
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		l.cancel()
		return control.Server{}, ctx.Err()
	}
	if l.server.State == string(outbound.Ready) && c.servers.on.Load() {
		if err := c.servers.Retry(id.ID); err != nil {
			return control.Server{}, err
		}
	}
	return l.server, nil
}

// logoutServer forgets the tokens of a server. Its tools go with them.
func (c *Core) logoutServer(ctx context.Context, id control.ID) error {
	if _, ok := c.cfg.Load().MCP.Servers[id.ID]; !ok {
		return c.noServer(id.ID)
	}
	if err := oauth.Forget(ctx, vault{c.secrets}, loginKey(id.ID)); err != nil {
		return err
	}
	if c.servers.on.Load() {
		return c.servers.Retry(id.ID)
	}
	return nil
}
