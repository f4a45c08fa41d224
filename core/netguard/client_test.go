package netguard_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
)

// A ladder is a web whose pages lead on: /to?u=… anywhere, /n/3 three times and
// then to a page. It keeps what it was sent.
type ladder struct {
	mu   sync.Mutex
	seen []*http.Request
}

func (l *ladder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.seen = append(l.seen, r.Clone(r.Context()))
	l.mu.Unlock()
	var n int
	status := http.StatusFound
	if _, err := fmt.Sscan(r.FormValue("status"), &status); err != nil {
		status = http.StatusFound
	}
	switch {
	case r.URL.Path == "/circle":
		http.Redirect(w, r, "/circle", status)
	case r.URL.Path == "/to":
		w.Header().Set("Location", r.FormValue("u"))
		w.WriteHeader(status)
	case sscan(r.URL.Path, "/n/%d", &n) && n > 0:
		http.Redirect(w, r, fmt.Sprintf("/n/%d", n-1), status)
	default:
		_, _ = fmt.Fprint(w, "page")
	}
}

func sscan(s, format string, v *int) bool {
	_, err := fmt.Sscanf(s, format, v)
	return err == nil
}

func (l *ladder) requests() []*http.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.seen
	l.seen = nil
	return list
}

// to is an address that leads to another.
func to(from, target string, status int) string {
	return fmt.Sprintf("%s/to?status=%d&u=%s", from, status, url.QueryEscape(target))
}

func TestRedirectLadder(t *testing.T) {
	l := &ladder{}
	w := netguardtest.New(t, l)
	w.Name("inner.example", "10.0.0.1")
	client := w.Guard(t).Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	for name, test := range map[string]struct{ url, want string }{
		"none":                      {"http://a.example/n/0", ""},
		"five":                      {"http://a.example/n/5", ""},
		"six":                       {"http://a.example/n/6", "too_many_redirects"},
		"a circle":                  {"http://a.example/circle", "too_many_redirects"},
		"to a public host":          {to("http://a.example", "http://b.example/", 302), ""},
		"from http to https":        {to("http://a.example", "https://a.example/", 301), ""},
		"from https to http":        {to("https://a.example", "http://a.example/", 301), ""},
		"to this machine":           {to("http://a.example", "http://127.0.0.1/", 302), "blocked_address"},
		"to localhost":              {to("http://a.example", "http://localhost/", 302), "blocked_address"},
		"to an odd spelling":        {to("http://a.example", "http://0x7f.1/", 307), "blocked_address"},
		"to IPv4 in IPv6":           {to("http://a.example", "//[::ffff:a9fe:a9fe]/", 302), "blocked_address"},
		"to a name that is inside":  {to("http://a.example", "http://inner.example/", 308), "blocked_address"},
		"to another port":           {to("http://a.example", "http://a.example:22/", 302), "blocked_port"},
		"to a file":                 {to("http://a.example", "file:///etc/passwd", 302), "bad_scheme"},
		"to a password":             {to("http://a.example", "http://a:b@b.example/", 302), "credentials_in_url"},
		"public, public, inner":     {to("http://a.example", to("https://b.example", to("http://c.example", "http://10.0.0.1/", 302), 303), 301), "blocked_address"},
		"over TLS, to this machine": {to("https://a.example", "https://[::1]/", 302), "blocked_address"},
	} {
		body, err := get(t, client, test.url)
		if got := code(err); got != test.want || (test.want == "" && body != "page") {
			t.Errorf("%s: %q, %v; want %q", name, body, err, test.want)
		}
		if n := w.Reached.Load(); n != 0 {
			t.Fatalf("%s: %d connections reached what is not public", name, n)
		}
	}
}

// What a client adds for one origin arrives nowhere else (GO-2026-6911 is a
// library that sent it along).
func TestCredentialsStay(t *testing.T) {
	secrets := []string{
		"Authorization", "Bearer s3cret-1", "Cookie", "id=s3cret-2", "Proxy-Authorization", "Basic s3cret-3", "X-Api-Key", "s3cret-4",
		"Mcp-Session-Id", "s3cret-5", "X-Whatever", "s3cret-6", "Referer", "http://a.example/s3cret-7", "Origin", "http://s3cret-8",
	}
	for name, target := range map[string]string{
		"another host":            "http://b.example/",
		"below the host":          "http://sub.a.example/",
		"above the host":          "http://example/",
		"another port":            "http://a.example:8080/",
		"another scheme":          "https://a.example/",
		"there and back":          to("http://b.example", "http://a.example/", 302),
		"there and on":            to("http://b.example", "http://b.example/n/2", 302),
		"the same host, spelling": "http://ａ.example./",
	} {
		t.Run(name, func(t *testing.T) {
			l := &ladder{}
			w := netguardtest.New(t, l)
			client := w.Guard(t, "a.example:8080").Client(netguard.ClientOptions{})
			defer client.CloseIdleConnections()
			client.Timeout = 5 * time.Second
			if name == "another port" {
				client.Transport = plain{client.Transport}
			}
			if _, err := get(t, client, to("http://a.example", target, 307), append(slices.Clone(secrets), "Accept", "text/plain")...); err != nil {
				t.Fatal(err)
			}
			list := l.requests()
			if len(list) < 2 || list[0].Header.Get("X-Api-Key") == "" || list[1].Header.Get("Accept") != "text/plain" {
				t.Fatalf("the requests were not made as meant: %v", list)
			}
			for _, r := range list[1:] {
				if text := fmt.Sprint(r.Header, r.URL); strings.Contains(text, "s3cret") {
					t.Errorf("%s was sent %s", r.Host, text)
				}
			}
		})
	}
}

// plain speaks http to a port where the test's world speaks TLS.
type plain struct{ http.RoundTripper }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Port() == "8080" {
		r.URL.Scheme = "https"
	}
	return p.RoundTripper.RoundTrip(r)
}

func TestCredentialsOnTheirOrigin(t *testing.T) {
	l := &ladder{}
	client := netguardtest.New(t, l).Guard(t).Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	if _, err := get(t, client, "https://a.example/n/3", "Authorization", "Bearer x"); err != nil {
		t.Fatal(err)
	}
	for _, r := range l.requests() {
		if r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("%s came without its credentials", r.URL)
		}
	}
}

func TestRefusedRedirects(t *testing.T) {
	l := &ladder{}
	w := netguardtest.New(t, l)
	for name, test := range map[string]struct {
		options     netguard.ClientOptions
		method, url string
		headers     []string
		body        string
		want        string
		sent        int // requests that arrived
	}{
		"credentials from https to http":   {url: to("https://a.example", "http://a.example/", 302), headers: []string{"Authorization", "x"}, want: "refused_redirect", sent: 1},
		"a key of one's own, the same":     {url: to("https://a.example", "http://b.example/", 302), headers: []string{"X-Key", "x"}, want: "refused_redirect", sent: 1},
		"a body to another host":           {method: "POST", url: to("http://a.example", "http://b.example/", 307), body: "secret", want: "refused_redirect", sent: 1},
		"a body to another host, for good": {method: "PUT", url: to("http://a.example", "http://b.example/", 308), body: "secret", want: "refused_redirect", sent: 1},
		"a deletion on another host":       {method: "DELETE", url: to("http://a.example", "http://b.example/", 307), want: "refused_redirect", sent: 1},
		"a body on the same host":          {method: "POST", url: to("http://a.example", "http://a.example/", 307), body: "secret", sent: 2},
		"a form that leads to a page":      {method: "POST", url: to("http://a.example", "http://b.example/", 303), body: "secret", sent: 2},
		"none may leave":                   {options: netguard.ClientOptions{StayOnOrigin: true}, url: to("http://a.example", "http://b.example/", 302), want: "refused_redirect", sent: 1},
		"none may leave, none does":        {options: netguard.ClientOptions{StayOnOrigin: true}, url: "http://a.example/n/2", sent: 3},
		"one at most":                      {options: netguard.ClientOptions{Redirects: 1}, url: "http://a.example/n/2", want: "too_many_redirects", sent: 2},
		"none":                             {options: netguard.ClientOptions{Redirects: -1}, url: "http://a.example/n/2", sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			client := w.Guard(t).Client(test.options)
			defer client.CloseIdleConnections()
			req, err := http.NewRequestWithContext(t.Context(), test.method, test.url, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+1 < len(test.headers); i += 2 {
				req.Header.Set(test.headers[i], test.headers[i+1])
			}
			resp, err := client.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if got, sent := code(err), len(l.requests()); got != test.want || sent != test.sent {
				t.Errorf("%v after %d requests; want %q after %d", err, sent, test.want, test.sent)
			}
		})
	}
}

// Clients that have a transport of their own take the policy alone.
func TestSameOriginRedirects(t *testing.T) {
	l := &ladder{}
	w := netguardtest.New(t, l)
	stop := errors.New("asked after the policy")
	asked := 0
	client := &http.Client{Transport: w.Guard(t).Transport(0), CheckRedirect: netguard.SameOriginRedirects(func(r *http.Request, _ []*http.Request) error {
		if asked++; strings.HasSuffix(r.URL.Path, "/1") {
			return stop
		}
		return nil
	})}
	defer client.CloseIdleConnections()
	if _, err := get(t, client, to("http://a.example", "https://a.example/", 302), "Authorization", "x"); code(err) != "refused_redirect" || asked != 0 {
		t.Errorf("%v, asked %d times; want a refusal before anybody is asked", err, asked)
	}
	if _, err := get(t, client, "http://a.example/n/3"); !errors.Is(err, stop) || asked != 2 {
		t.Errorf("%v, asked %d times; want the answer of the second", err, asked)
	}
	client.CheckRedirect = netguard.SameOriginRedirects(nil)
	if body, err := get(t, client, "http://a.example/n/3"); err != nil || body != "page" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestOnHop(t *testing.T) {
	var hops []string
	client := netguardtest.New(t, &ladder{}).Guard(t).Client(netguard.ClientOptions{OnHop: func(from, to *url.URL) { hops = append(hops, from.Host+from.Path+" "+to.String()) }})
	defer client.CloseIdleConnections()
	if _, err := get(t, client, to("http://a.example", "http://b.example/n/1", 302)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.example/to http://b.example/n/1", "b.example/n/1 http://b.example/n/0"}; !slices.Equal(hops, want) {
		t.Errorf("hops %q, want %q", hops, want)
	}
}

// A proxy of the environment would look names up itself, past the guard.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	w := netguardtest.New(t, hello)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://10.9.9.9:3128")
	}
	client := w.Guard(t).Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	if body, err := get(t, client, "http://a.example/"); err != nil || body != "hello from a.example" {
		t.Errorf("%q, %v", body, err)
	}
	if body, err := get(t, client, "https://a.example/"); err != nil || body != "hello from a.example" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestTimeouts(t *testing.T) {
	stuck := make(chan struct{})
	w := netguardtest.New(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_ = http.NewResponseController(rw).Flush()
		}
		<-stuck
	}))
	defer close(stuck)
	for path, o := range map[string]netguard.ClientOptions{
		"/header": {HeaderTimeout: 30 * time.Millisecond},
		"/body":   {Timeout: 50 * time.Millisecond},
	} {
		client := w.Guard(t).Client(o)
		start := time.Now()
		_, err := get(t, client, "http://a.example"+path)
		if took := time.Since(start); err == nil || took > 10*time.Second {
			t.Errorf("%s: %v after %v", path, err, took)
		}
		client.CloseIdleConnections()
	}
}
