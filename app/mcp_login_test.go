package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/outbound"
)

// guarded is a tool server that wants a token, and is its own authorization
// server.
type guarded struct {
	*httptest.Server
	t *testing.T
}

func startGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{t: t}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

// sesame is what the server gives out and takes.
const sesame = "sesame-token-0123456789"

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	reply := func(v map[string]any) { _ = json.NewEncoder(w).Encode(v) }
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		reply(map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	case "/.well-known/oauth-authorization-server":
		reply(map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token",
			"registration_endpoint": g.URL + "/register", "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	case "/register":
		reply(map[string]any{"client_id": "hobkin-1"})
	case "/authorize":
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	case "/token":
		reply(map[string]any{"access_token": sesame, "token_type": "Bearer", "expires_in": 3600})
	case "/mcp":
		g.serve(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (g *guarded) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+sesame {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &m)
	switch m.Method {
	case "initialize":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"guarded","version":"1"}}}`, m.ID)
	case "tools/list":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"open","inputSchema":{"type":"object"}}]}}`, m.ID)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func TestSigningInToAServer(t *testing.T) {
	g := startGuarded(t)
	c := openWith(t, "[mcp.servers.vault]\nurl = \""+g.URL+"/mcp\"\nauth = \"oauth\"\n[mcp.servers.plain]\nurl = \"https://plain.example/\"\ndisabled = true\n")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	id := control.ID{ID: "vault"}
	list, err := c.listServers(ctx, none{})
	if err != nil || list[1].State != "needs_login" || list[1].Reason != "sign in with: hobkin mcp login vault" {
		t.Fatalf("at first: %+v, %v", list, err)
	}
	begun, err := c.loginServer(ctx, id)
	if err != nil || !strings.HasPrefix(begun.Page, g.URL+"/authorize?") {
		t.Fatalf("the page is %q, %v", begun.Page, err)
	}
	res, err := http.Get(begun.Page) //nolint:noctx // a browser
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	s, err := c.awaitLogin(ctx, id)
	if err != nil || s.State != "ready" || len(s.Tools) != 1 {
		t.Fatalf("signed in: %+v, %v", s, err)
	}
	ready(t, c)
	hidden(t, c)
	if err := c.logoutServer(ctx, id); err != nil {
		t.Fatal(err)
	}
	if v, err := (vault{c.secrets}).Load(ctx, loginKey("vault")); v != "" || err != nil {
		t.Errorf("after signing out there is %d bytes, %v", len(v), err)
	}
	if _, err := c.loginServer(ctx, control.ID{ID: "plain"}); err == nil || !strings.Contains(err.Error(), "plain") {
		t.Errorf("a server that none signs in to: %v", err)
	}
	if _, err := c.loginServer(ctx, control.ID{ID: "other"}); err == nil {
		t.Error("a server that there is not")
	}
}

// ready waits until the tool of the server is there.
func ready(t *testing.T, c *Core) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); ; {
		if _, ok := c.registry.Find("mcp_vault_open"); ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("its tool is not offered: %+v", c.servers.Status())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// hidden checks that the token is known to the redactor, and stands in no file
// but that of the secrets.
func hidden(t *testing.T, c *Core) {
	t.Helper()
	if got := c.redactor.Redact("say " + sesame); strings.Contains(got, sesame) {
		t.Errorf("the redactor lets it through: %s", got)
	}
	secrets := c.opts.Paths.Secrets()
	err := filepath.WalkDir(filepath.Dir(c.opts.Paths.ConfigFile())+"/..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(filepath.Clean(path), secrets) {
			return nil //nolint:nilerr // what vanishes meanwhile holds nothing
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), sesame) {
			t.Errorf("the token stands in %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheOwnerIsToldOnceThatAServerWasLost(t *testing.T) {
	shown := make(told, 5)
	c := &Core{opts: Options{Notifier: shown}}
	c.serverChanged(outbound.Status{Name: "mail", State: outbound.Failed, Reason: "it ended", Lost: true})
	c.serverChanged(outbound.Status{Name: "mail", State: outbound.Failed, Reason: "it does not start", Tries: 2})
	if n := <-shown; len(shown) != 0 || !strings.Contains(n.Title, "mail was lost") {
		t.Errorf("told %+v, and %d more", n, len(shown))
	}
}
