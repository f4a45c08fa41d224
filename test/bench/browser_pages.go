package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	cards       = 500 // of ten elements each
	smallPage   = "/small"
	largePage   = "/large"
	nextPage    = "/next"
	askingPage  = "/asking"
	eventsRound = 25 // things that the actions do to the pages
)

// A site is what both browsers visit. It counts what its pages say was done to
// them.
type site struct {
	url string

	mu     sync.Mutex
	events map[string]bool
}

// serve serves the pages on this machine until the returned function is called.
func (s *site) serve(ctx context.Context) (stop func() error, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.url = "http://" + l.Addr().String()
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	return server.Close, nil
}

// ServeHTTP serves a page, or takes in what one says.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/did" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events[r.URL.RawQuery] = true
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, ok := map[string]string{smallPage: small(), largePage: large(), nextPage: "<h1>Next</h1>", askingPage: asking}[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><script>const did = what => { fetch('/did?' + what) }</script>%s", r.URL.Path, body)
}

// begin forgets what was done.
func (s *site) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = map[string]bool{}
}

// done is how many things were done.
func (s *site) done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

// small is a page with a form.
func small() string {
	var b strings.Builder
	b.WriteString("<h1>Orders</h1><p>Fill in what you need, and send it.</p><nav><a href='/next'>Next</a> <a href='/large'>All goods</a></nav><form onsubmit='return false'>")
	for i := 1; i <= 6; i++ {
		fmt.Fprintf(&b, "<button type=button onclick=\"did('click%d')\">Press %d</button> ", i, i)
	}
	for i := 1; i <= 5; i++ {
		fmt.Fprintf(&b, "<p><label>Field %d <input oninput=\"did('fill%d')\" onkeydown=\"did('key%d' + event.key)\"></label></p>", i, i, i)
	}
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(&b, "<label>List %d <select onchange=\"did('select%d' + value)\"><option>One<option>Two<option>Three</select></label> ", i, i)
	}
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(&b, "<label><input type=checkbox onchange=\"did('check%d')\"> Box %d</label> ", i, i)
	}
	for i := 1; i <= 2; i++ {
		fmt.Fprintf(&b, "<button type=button onmouseenter=\"did('hover%d')\">Over %d</button> ", i, i)
	}
	return b.String() + "<button type=button onclick=\"setTimeout(() => { out.textContent = 'Here it is' }, 20)\">Fetch</button><p id=out></p></form>"
}

// large is a page of 5,000 elements, nested as pages are.
func large() string {
	var b strings.Builder
	for i := 1; i <= cards; i++ {
		fmt.Fprintf(&b, "<div class=card><div><h3><a href='/next?%d'>Thing %d</a></h3><p><span>Costs %d euros</span></p><label>Count <input></label></div><div><button onclick=\"did('buy%d')\">Buy %d</button></div></div>", i, i, i%90+5, i, i)
	}
	return b.String()
}

// asking is a page that asks.
const asking = "<button onclick=\"confirm('Sure?')\">Ask</button>"
