package proxy

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
)

// user is the name in the proxy's credentials; only the password is secret.
const user = "hobkin"

// ServeHTTP takes one request of a client of the proxy.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.work.Add(1) // its connection counts while this begins; see track
	defer p.work.Done()
	if !p.knows(r) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="Hobkin"`)
		http.Error(w, "This proxy serves only what Hobkin itself has started.", http.StatusProxyAuthRequired)
		return
	}
	addr, err := destination(r)
	if err != nil {
		p.refuse(w, r, Refusal{Err: err})
		return
	}
	host, port, err := netguard.PlainHost(addr)
	if err == nil && p.opts.Allow != nil {
		err = denied(p.opts.Allow(host, port))
	}
	switch {
	case err != nil:
		p.refuse(w, r, Refusal{Host: host, Port: port, Err: err})
	case r.Method == http.MethodConnect:
		p.connect(w, r, host, port)
	default:
		p.forward.ServeHTTP(w, r)
	}
}

// knows reports whether the sender of a request may use the proxy. Credentials
// are compared in constant time.
func (p *Proxy) knows(r *http.Request) bool {
	if p.opts.NoCredentials || r.Context().Value(trustedKey{}) != nil {
		return true
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+p.password))
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) == 1
}

// destination is the host and port that a request asks for. Only the address in
// the request's first line counts; its Host header is somebody's claim.
func destination(r *http.Request) (string, error) {
	switch u := r.URL; {
	case r.Method == http.MethodConnect:
		return r.RequestURI, nil
	case u.Host == "":
		return "", netguard.BadURL.Becausef("this is a proxy, it has no pages of its own")
	case u.User != nil:
		return "", netguard.CredentialsInURL.Becausef("the address to %s holds a user name or a password before the @", u.Hostname())
	case u.Scheme != "http" && u.Scheme != "ws":
		return "", netguard.BadScheme.Becausef("addresses that begin with %s: cannot be asked for here; https goes through CONNECT", u.Scheme)
	case u.Port() == "":
		return net.JoinHostPort(u.Hostname(), "80"), nil
	default:
		return u.Host, nil
	}
}

// newForward makes what passes on requests with a whole address. Hop-by-hop
// headers, our credentials among them, stay here.
func (p *Proxy) newForward() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme = "http"
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it was written, although parts may be odd
			r.Out.Host = ""                        // the host of the address, not the one that the header claims
			if r.Out.Header.Get("Accept-Encoding") == "" {
				r.Out.Header.Set("Accept-Encoding", "identity") // or the transport would unpack what the client did not ask for
			}
		},
		Transport:     p.onward,
		FlushInterval: -1, // events must not wait for more
		BufferPool:    &buffers{},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			addr, _ := destination(r) // it passed before
			host, port, _ := netguard.PlainHost(addr)
			p.refuse(w, r, Refusal{Host: host, Port: port, Err: err})
		},
	}
}

// connect opens a tunnel.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, host string, port int) {
	far, err := p.opts.Guard.DialContext(r.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		p.refuse(w, r, Refusal{Host: host, Port: port, Err: err})
		return
	}
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2 without TLS is not offered, so this does not happen
		_ = far.Close()
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, err = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	if n := buffered.Reader.Buffered(); err == nil && n > 0 { // the client did not wait for the answer
		_, err = io.CopyN(far, buffered, int64(n))
	}
	if err != nil {
		_, _ = near.Close(), far.Close()
		return
	}
	tunnel(r.Context(), near, far, min(p.opts.Idle/4, 30*time.Second))
}

// refuse answers a request that was not let through, in words and as RFC 9209
// names it.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, f Refusal) {
	f.Method = r.Method
	if _, known := capability.AsUserError(f.Err); !known {
		f.Err = netguard.Unreachable.Becausef("%s: %v", f.Host, f.Err)
	}
	if p.opts.OnRefuse != nil && r.Context().Err() == nil {
		p.opts.OnRefuse(f)
	}
	why, _ := capability.AsUserError(f.Err)
	status, name := http.StatusForbidden, "http_request_denied"
	for _, o := range outcomes {
		if errors.Is(f.Err, o.failure) {
			status, name = o.status, o.name
		}
	}
	w.Header().Set("Proxy-Status", "hobkin; error="+name)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, fmt.Sprintf("Hobkin: %s.\nWhat to do: %s.", why.Message, why.Try), status)
}

// outcomes says what programs are told of a failure: a status, and an error of
// RFC 9209, section 2.3. Other failures are plain refusals.
var outcomes = []struct {
	failure *capability.Failure
	status  int
	name    string
}{
	{netguard.BadURL, http.StatusBadRequest, "http_request_error"},
	{netguard.BlockedAddress, http.StatusForbidden, "destination_ip_prohibited"},
	{netguard.NotFound, http.StatusBadGateway, "dns_error"},
	{netguard.Unreachable, http.StatusBadGateway, "destination_unavailable"},
}

// Only returns an Allow that lets through what a list names. The setting is
// where the owner keeps the list, such as "[sandbox] network_hosts".
func Only(list netguard.Rules, setting string) func(host string, port int) error {
	return func(host string, port int) error {
		if list.Names(host, port) {
			return nil
		}
		return NotListed.Becausef("%s is not among the hosts that may be reached from here", net.JoinHostPort(host, strconv.Itoa(port))).
			Trying("work without it; only the owner can add it, in the settings under " + setting)
	}
}

// denied makes any error of an Allow one that people can read.
func denied(err error) error {
	if _, known := capability.AsUserError(err); err == nil || known {
		return err
	}
	return NotListed.Becausef("%v", err)
}

// NotListed is the failure of [Only].
var NotListed = &capability.Failure{Code: "not_listed", When: "the host is not on the list of those that may be reached", Try: "work without it; only the owner can add it to the list"}

// buffers keeps the memory that contents are copied through.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 64<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
