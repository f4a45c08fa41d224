package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/mcp/oauth/oauthtest"
	"github.com/hobkin/hobkin/core/netguard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a server that wants tokens and its authorization server, at two
// addresses.
type world struct {
	t          *testing.T
	server, as *httptest.Server
	mu         sync.Mutex
	valid      map[string][]string // scopes by token
	asked      []string            // grant types
	seen       []string            // Authorization of requests to the server
	needs      []string            // scopes
	registered int
	metadata   map[string]any                                // beyond the usual
	token      func(http.ResponseWriter, *http.Request) bool // true has answered
	expires    int
	away       string // where the metadata of the authorization server redirects to
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, valid: map[string][]string{}, metadata: map[string]any{}, expires: 3600}
	w.as = httptest.NewServer(http.HandlerFunc(w.authorization))
	w.server = httptest.NewServer(http.HandlerFunc(w.resource))
	t.Cleanup(w.as.Close)
	t.Cleanup(w.server.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return w
}

func (w *world) resource(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/.well-known/") {
		send(out, map[string]any{"resource": w.server.URL + "/mcp", "authorization_servers": []string{w.as.URL}})
		return
	}
	w.seen = append(w.seen, r.Header.Get("Authorization"))
	scopes, ok := w.valid[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !ok {
		out.Header().Set("WWW-Authenticate", `Basic realm="x", Bearer error="invalid_token", scope="read"`)
		out.WriteHeader(http.StatusUnauthorized)
		return
	}
	for _, s := range w.needs {
		if !slices.Contains(scopes, s) {
			out.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+s+`"`)
			out.WriteHeader(http.StatusForbidden)
			return
		}
	}
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(out, "hello %s", body)
}

func send(out http.ResponseWriter, v any) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(v)
}

func (w *world) authorization(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r.URL.Path {
	case "/away":
		http.Redirect(out, r, r.URL.Query().Get("to"), http.StatusPermanentRedirect)
	case "/.well-known/oauth-authorization-server":
		if w.away != "" {
			http.Redirect(out, r, w.away, http.StatusFound)
			return
		}
		m := map[string]any{
			"issuer": w.as.URL, "authorization_endpoint": w.as.URL + "/authorize", "token_endpoint": w.as.URL + "/token",
			"registration_endpoint": w.as.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_post"},
		}
		maps.Copy(m, w.metadata)
		send(out, m)
	case "/register":
		w.registered++
		out.WriteHeader(http.StatusCreated)
		send(out, map[string]any{"client_id": fmt.Sprint("client-", w.registered), "client_secret": "hush"})
	case "/authorize":
		q := r.URL.Query()
		back := q.Get("redirect_uri") + "?" + url.Values{"state": {q.Get("state")}, "code": {"code:" + q.Get("scope")}}.Encode()
		http.Redirect(out, r, back, http.StatusFound)
	case "/token":
		w.tokens(out, r)
	default:
		http.NotFound(out, r)
	}
}

func (w *world) tokens(out http.ResponseWriter, r *http.Request) {
	if w.token != nil && w.token(out, r) {
		return
	}
	_ = r.ParseForm()
	w.asked = append(w.asked, r.Form.Get("grant_type"))
	if r.Form.Get("client_secret") != "hush" || r.Form.Get("resource") != w.server.URL+"/mcp" {
		out.WriteHeader(http.StatusUnauthorized)
		send(out, map[string]any{"error": "invalid_client"})
		return
	}
	scope := strings.TrimPrefix(r.Form.Get("code"), "code:")
	token := fmt.Sprintf("token-%d", len(w.asked))
	w.valid[token] = strings.Fields(scope)
	send(out, map[string]any{"access_token": token, "token_type": "Bearer", "refresh_token": "again", "expires_in": w.expires})
}

// session is a session of ours in this world; browser may be nil.
func (w *world) session(v Vault, b Browser) *Session {
	w.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: netguard.SameOriginRedirects(nil)}
	s, err := New(Options{Server: w.server.URL + "/mcp", Key: "k", Vault: v, Base: client.Transport, Client: client, Browser: b})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func call(t *testing.T, s *Session) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.o.Server, strings.NewReader("you"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.RoundTrip(req)
	if err != nil {
		return "", err
	}
	raw, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	return string(raw), nil
}

// roundTrip is for requests whose answers do not matter.
func roundTrip(s *Session, req *http.Request) error {
	res, err := s.RoundTrip(req)
	if err == nil {
		err = res.Body.Close()
	}
	return err
}

func TestSigningInOnceIsEnough(t *testing.T) {
	w, v, p := newWorld(t), &oauthtest.Vault{}, &oauthtest.Willing{}
	if text, err := call(t, w.session(v, p)); err != nil || text != "hello you" {
		t.Fatalf("signing in: %q, %v", text, err)
	}
	// What another session finds in the vault is enough for it.
	text, err := call(t, w.session(v, nil))
	if err != nil || text != "hello you" || len(p.Pages) != 1 || w.registered != 1 {
		t.Errorf("afterwards: %q, %v; %d pages, %d registrations", text, err, len(p.Pages), w.registered)
	}
	if issuer, ok, err := w.session(v, nil).SignedIn(t.Context()); issuer != w.as.URL || !ok || err != nil {
		t.Errorf("signed in at %q: %v, %v", issuer, ok, err)
	}
	if err := Forget(t.Context(), v, "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, w.session(v, nil)); !errors.Is(err, ErrLogin) {
		t.Errorf("after signing out: %v", err)
	}
}

func TestTokensAreRenewed(t *testing.T) {
	w, v := newWorld(t), &oauthtest.Vault{}
	w.expires = 1 // shorter than what counts as over
	if _, err := call(t, w.session(v, &oauthtest.Willing{})); err != nil {
		t.Fatal(err)
	}
	if text, err := call(t, w.session(v, nil)); err != nil || text != "hello you" {
		t.Errorf("after its end: %q, %v", text, err)
	}
	w.expires = 3600
	s := w.session(v, nil)
	if _, err := call(t, s); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.valid = map[string][]string{} // all are revoked
	w.mu.Unlock()
	if text, err := call(t, s); err != nil || text != "hello you" {
		t.Errorf("after it was revoked: %q, %v", text, err)
	}
	w.token = func(out http.ResponseWriter, _ *http.Request) bool {
		out.WriteHeader(http.StatusBadRequest)
		send(out, map[string]any{"error": "invalid_grant"})
		return true
	}
	w.mu.Lock()
	w.valid = map[string][]string{}
	w.mu.Unlock()
	if _, err := call(t, s); !errors.Is(err, ErrLogin) {
		t.Errorf("where the grant has ended: %v", err)
	}
}

func TestMoreScopesAreAskedForTogether(t *testing.T) {
	w, v := newWorld(t), &oauthtest.Vault{}
	if _, err := call(t, w.session(v, &oauthtest.Willing{})); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.needs = []string{"write"}
	w.mu.Unlock()
	if _, err := call(t, w.session(v, nil)); !errors.Is(err, ErrLogin) || !errors.Is(err, ErrScope) {
		t.Errorf("with no one there: %v", err)
	}
	p := &oauthtest.Willing{}
	if text, err := call(t, w.session(v, p)); err != nil || text != "hello you" {
		t.Fatalf("with someone there: %q, %v", text, err)
	}
	if u, err := url.Parse(p.Pages[0]); err != nil || u.Query().Get("scope") != "read write" || len(p.Pages) != 1 {
		t.Errorf("asked for %q", p.Pages)
	}
	if w.registered != 1 {
		t.Errorf("%d registrations", w.registered)
	}
}

func TestWhatIsRefused(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("another server was sent %s %s %q", r.Method, r.URL, body)
	}))
	defer other.Close()
	for name, tt := range map[string]struct {
		change func(*world)
		want   string
	}{
		"metadata of another issuer":  {func(w *world) { w.metadata["issuer"] = "https://evil.example" }, "evil.example"},
		"no PKCE":                     {func(w *world) { w.metadata["code_challenge_methods_supported"] = []string{"plain"} }, "PKCE"},
		"an endpoint without https":   {func(w *world) { w.metadata["token_endpoint"] = "http://192.0.2.1/token" }, "https"},
		"a page that is no page":      {func(w *world) { w.metadata["authorization_endpoint"] = "file:///etc/passwd" }, "https"},
		"an answer of no one":         {func(w *world) { w.metadata["authorization_response_iss_parameter_supported"] = true }, "does not say"},
		"registration is not offered": {func(w *world) { w.metadata["registration_endpoint"] = "" }, "client_id"},
		"tokens are redirected": {func(w *world) {
			w.token = func(out http.ResponseWriter, r *http.Request) bool {
				http.Redirect(out, r, other.URL, http.StatusTemporaryRedirect) // with the code, and the secret
				return true
			}
		}, "redirect"},
		"registration is redirected": {func(w *world) { w.metadata["registration_endpoint"] = w.as.URL + "/away?to=" + other.URL }, "redirect"},
		"metadata is redirected":     {func(w *world) { w.away = other.URL }, "redirect"},
		"an error with control characters": {func(w *world) {
			w.token = func(out http.ResponseWriter, _ *http.Request) bool {
				out.WriteHeader(http.StatusBadRequest)
				send(out, map[string]any{"error": "x", "error_description": "no\x1b[31m\u202e way"})
				return true
			}
		}, "no�[31m� way"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.change(w)
			_, err := call(t, w.session(&oauthtest.Vault{}, &oauthtest.Willing{}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTheTokenGoesToItsServerOnly(t *testing.T) {
	w := newWorld(t)
	s := w.session(&oauthtest.Vault{}, &oauthtest.Willing{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.as.URL+"/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if err := roundTrip(s, req); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{Server: "http://192.0.2.1/mcp"}); err == nil {
		t.Error("signing in over plain http is taken")
	}
}

// stranger comes back with another state first, as a page of another site could
// make a browser do.
type stranger struct{}

func (stranger) Open(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if err := oauthtest.Visit(ctx, u.Query().Get("redirect_uri")+"?state=guess&code=theirs"); err != nil {
		return err
	}
	return oauthtest.Visit(ctx, address)
}

func TestAnAnswerOfAStrangerIsNotTaken(t *testing.T) {
	w := newWorld(t)
	if text, err := call(t, w.session(&oauthtest.Vault{}, stranger{})); err != nil || text != "hello you" {
		t.Errorf("%q, %v", text, err)
	}
}

// absent never comes back.
type absent struct{}

func (absent) Open(context.Context, string) error { return nil }

func TestSigningInCanBeStopped(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+"/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if err := roundTrip(w.session(&oauthtest.Vault{}, absent{}), req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestSecretsAreToldToTheRedactor(t *testing.T) {
	w := newWorld(t)
	var told []string
	s := w.session(&oauthtest.Vault{}, &oauthtest.Willing{})
	s.o.Learn = func(v ...string) { told = append(told, v...) }
	if _, err := call(t, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"token-1", "again", "hush"} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not among %q", want, told)
		}
	}
}

func TestChallenge(t *testing.T) {
	for header, want := range map[string]challenge{
		`Bearer`: {},
		`Bearer resource_metadata="https://x/y", scope="a b", error="invalid_token"`: {"https://x/y", []string{"a", "b"}, "invalid_token"},
		`bearer scope=a,error=insufficient_scope`:                                    {"", []string{"a"}, "insufficient_scope"},
		`Basic scope="no", Bearer scope="a\"b"`:                                      {"", []string{`a"b`}, ""},
		`Digest realm="x", nonce="y"`:                                                {},
		`Bearer scope="a`:                                                            {"", []string{"a"}, ""},
	} {
		got := challengeOf(http.Header{"Www-Authenticate": {header}})
		if got.metadata != want.metadata || got.code != want.code || !slices.Equal(got.scopes, want.scopes) {
			t.Errorf("%s: got %+v, want %+v", header, got, want)
		}
	}
}

func FuzzChallenge(f *testing.F) {
	for _, s := range []string{`Bearer scope="a b", x=y`, `"`, `=`, `a="\`, `Bearer ,,, = "`, "a\x00=b"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, header string) { challengeOf(http.Header{"Www-Authenticate": {header}}) })
}
