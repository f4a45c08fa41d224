package inbound

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/time/rate"
)

// HTTPOptions say how streamable HTTP is served.
type HTTPOptions struct {
	Path  string // of the address; empty means /mcp
	Token string // what clients send as Authorization: Bearer TOKEN; never empty

	MaxBody     int64         // bytes of one request; 0 means 4 MiB
	MaxSessions int           // that live side by side; 0 means 64
	IdleTime    time.Duration // after which a session ends; 0 means an hour
	PerSecond   int           // requests of all clients; 0 means 200, with bursts of as many
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.Path == "" {
		o.Path = "/mcp"
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 4 << 20
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 64
	}
	if o.IdleTime <= 0 {
		o.IdleTime = time.Hour
	}
	if o.PerSecond <= 0 {
		o.PerSecond = 200
	}
	return o
}

// ErrNoToken is returned where HTTP would be served to every program of the
// machine.
var ErrNoToken = errors.New("mcp: streamable HTTP needs a token that clients must send")

// ServeHTTP serves clients on a listener until ctx ends; the listener is closed
// then. It must be on a loopback address.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	o = o.withDefaults()
	if o.Token == "" {
		return errors.Join(ErrNoToken, l.Close())
	}
	if at, err := netip.ParseAddrPort(l.Addr().String()); err != nil || !at.Addr().IsLoopback() {
		return errors.Join(fmt.Errorf("mcp: %s can be reached from other machines; only an address of this machine is served", l.Addr()), l.Close())
	}
	srv := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:    slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	h := s.web(o, server.WithStreamableHTTPServer(srv))
	srv.Handler = h
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = h.mcp.Shutdown(end) // what does not end in time is cut off below
		_ = srv.Close()
	})
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mcp: serving: %w", err)
	}
	return nil
}

// closeTime is how long requests may take to end when the server is closed.
const closeTime = 2 * time.Second

// web is the handler of the requests.
func (s *Server) web(o HTTPOptions, more ...server.StreamableHTTPOption) *handler {
	o = o.withDefaults()
	return &handler{
		options: o, limit: rate.NewLimiter(rate.Limit(o.PerSecond), o.PerSecond),
		mcp: server.NewStreamableHTTPServer(s.mcp, append(more,
			server.WithEndpointPath(o.Path), server.WithSessionIdManager(newSessions(o.MaxSessions, o.IdleTime)),
			server.WithSessionIdleTTL(o.IdleTime), server.WithHeartbeatInterval(30*time.Second),
		)...),
	}
}

// handler lets in only clients that may come in.
type handler struct {
	options HTTPOptions
	limit   *rate.Limiter
	mcp     *server.StreamableHTTPServer
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !ours(r.Host):
		http.Error(w, "this address is for programs of this machine", http.StatusForbidden)
	case !sameOrigin(r):
		http.Error(w, "web pages may not use this address", http.StatusForbidden)
	case r.URL.Path != h.options.Path:
		http.NotFound(w, r)
	case !h.authorised(r):
		w.Header().Set("WWW-Authenticate", `Bearer realm="hobkin"`)
		http.Error(w, "the token is missing or wrong: send Authorization: Bearer TOKEN", http.StatusUnauthorized)
	case !h.limit.Allow():
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
	case r.ContentLength > h.options.MaxBody:
		http.Error(w, fmt.Sprintf("the request is larger than %d bytes", h.options.MaxBody), http.StatusRequestEntityTooLarge)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, h.options.MaxBody)
		answer, request := streamed(w, r)
		defer answer.finish()
		h.mcp.ServeHTTP(answer, request)
	}
}

func (h *handler) authorised(r *http.Request) bool {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(kind, "Bearer") && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(h.options.Token)) == 1
}

// ours reports whether a request names this machine. A web page that had its
// own name resolve to this machine names that instead.
func ours(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// sameOrigin refuses what a browser sends for a web page of another place.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host)
}
