package web

import (
	"container/list"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A cache keeps pages by their address for a while. What is too old is let go
// by a timer, not only when somebody looks, and the least used goes first when
// the pages together are too large. The zero cache is ready to use.
type cache struct {
	mu     sync.Mutex
	byKey  map[string]*list.Element // of *kept
	recent list.List                // the last used first
	bytes  int
	timer  *time.Timer
	closed bool
}

type kept struct {
	key  string
	page *page
	ends time.Time
}

// size is what a page counts: its body and something for the rest.
func (k *kept) size() int { return len(k.page.body) + len(k.key) + 512 }

func (c *cache) get(key string) (*page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep()
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*kept).page, true
}

// put keeps a page for as long as keep, unless it alone is larger than most.
func (c *cache) put(key string, p *page, keep time.Duration, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &kept{key, p, time.Now().Add(keep)}
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	if keep <= 0 || k.size() > most || c.closed {
		return
	}
	if c.byKey == nil {
		c.byKey = map[string]*list.Element{}
	}
	c.byKey[key] = c.recent.PushFront(k)
	c.bytes += k.size()
	for c.bytes > most {
		c.drop(c.recent.Back())
	}
	c.sweep()
}

func (c *cache) drop(e *list.Element) {
	k := c.recent.Remove(e).(*kept)
	delete(c.byKey, k.key)
	c.bytes -= k.size()
}

// sweep lets go what is too old, and sets the timer to the next that will be.
func (c *cache) sweep() {
	now, next := time.Now(), time.Time{}
	for e := c.recent.Front(); e != nil; {
		after := e.Next()
		switch k := e.Value.(*kept); {
		case !now.Before(k.ends):
			c.drop(e)
		case next.IsZero() || k.ends.Before(next):
			next = k.ends
		}
		e = after
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if !next.IsZero() && !c.closed {
		c.timer = time.AfterFunc(next.Sub(now), func() { // ended by close, or by being the last
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sweep()
		})
	}
}

func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.byKey, c.bytes = nil, 0
	c.recent.Init()
	if c.timer != nil {
		c.timer.Stop()
	}
}

// keepFor is how long a page may be kept, by what its server says.
func keepFor(h http.Header, most time.Duration) time.Duration {
	for part := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if n, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 32); err == nil {
				most = min(most, time.Duration(max(n, 0))*time.Second)
			}
		}
	}
	if strings.Contains(strings.ToLower(h.Get("Pragma")), "no-cache") || h.Get("Vary") == "*" {
		return 0
	}
	return most
}
