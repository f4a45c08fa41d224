package web

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestCachedFetch(t *testing.T) {
	var hits atomic.Int32
	mux := http.NewServeMux()
	for path, header := range map[string]string{"/plain": "X: y", "/no-store": "Cache-Control: private, no-store", "/no-cache": "Cache-Control: no-cache", "/old": "Cache-Control: max-age=0", "/day": "Cache-Control: max-age=86400"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			send("text/plain", "words", header)(w, r)
		})
	}
	b := newBench(t, mux)
	for path, want := range map[string]int32{"/plain": 1, "/plain#part": 0, "/no-store": 3, "/no-cache": 3, "/old": 3, "/day": 1} {
		hits.Store(0)
		if path == "/plain#part" { // a part of a page is the page
			b.ok("web_fetch", `{"url": "$SITE/plain"}`)
			hits.Store(0)
		}
		for range 3 {
			b.ok("web_fetch", `{"url": "$SITE`+path+`"}`)
		}
		if path == "/plain" && hits.Load() == 0 {
			continue // its part was asked for before
		}
		if hits.Load() != want {
			t.Errorf("%s: asked %d times, want %d", path, hits.Load(), want)
		}
	}
	hits.Store(0)
	b.ok("web_fetch", `{"url": "$SITE/plain", "raw": true}`)
	if hits.Load() != 0 {
		t.Error("the source of a kept page was fetched again")
	}
}

// What is too old is let go although nobody asks any more (field bug 218).
func TestCacheLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c cache
		c.put("a", &page{body: make([]byte, 1000)}, 15*time.Minute, 1<<20)
		<-time.After(5 * time.Minute)
		c.put("b", &page{body: make([]byte, 1000)}, 15*time.Minute, 1<<20)
		if _, ok := c.get("a"); !ok {
			t.Error("a is gone after 5 minutes")
		}
		<-time.After(10*time.Minute + time.Second)
		synctest.Wait()
		c.mu.Lock()
		if len(c.byKey) != 1 || c.recent.Len() != 1 || c.byKey["b"] == nil {
			t.Errorf("after 15 minutes: %v", c.byKey)
		}
		c.mu.Unlock()
		<-time.After(5 * time.Minute)
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.byKey) != 0 || c.recent.Len() != 0 || c.bytes != 0 {
			t.Errorf("after 20 minutes %d pages of %d bytes are held", len(c.byKey), c.bytes)
		}
	})
}

func TestCacheBound(t *testing.T) {
	var c cache
	defer c.close()
	for i := range 100 {
		c.put(fmt.Sprint("page", i), &page{body: make([]byte, 10_000)}, time.Hour, 100_000)
		if _, ok := c.get("page0"); !ok {
			t.Fatalf("the page that is used all the time is gone after %d", i)
		}
		if c.bytes > 100_000 || len(c.byKey) != c.recent.Len() {
			t.Fatalf("%d bytes, %d and %d pages", c.bytes, len(c.byKey), c.recent.Len())
		}
	}
	if _, ok := c.get("page50"); ok {
		t.Error("a page that nobody used is there still")
	}
	c.put("huge", &page{body: make([]byte, 200_000)}, time.Hour, 100_000)
	if _, ok := c.get("huge"); ok || len(c.byKey) == 0 {
		t.Error("a page that is larger than the cache was kept, or cleared it")
	}
	c.put("page0", &page{body: []byte("new")}, time.Hour, 100_000)
	if p, ok := c.get("page0"); !ok || string(p.body) != "new" {
		t.Error("a page was not replaced")
	}
	sum := 0
	for _, e := range c.byKey {
		sum += e.Value.(*kept).size()
	}
	if sum != c.bytes {
		t.Errorf("%d bytes are counted, %d are there", c.bytes, sum)
	}
	c.close()
	c.put("late", &page{}, time.Hour, 100_000)
	if _, ok := c.get("late"); ok {
		t.Error("a closed cache keeps pages")
	}
}

func TestKeepFor(t *testing.T) {
	const quarter = 15 * time.Minute
	for header, want := range map[string]time.Duration{
		"": quarter, "public": quarter, "max-age=60": time.Minute, "s-maxage=5, max-age=600": 10 * time.Minute, "No-Store": 0, "max-age=-3": 0,
		"max-age=oops": quarter, "max-age=99999": quarter, "private, no-cache=\"x\"": 0,
	} {
		h := http.Header{}
		for part := range strings.SplitSeq(header, ", ") {
			h.Add("Cache-Control", part)
		}
		if got := keepFor(h, quarter); got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
	if keepFor(http.Header{"Pragma": {"no-cache"}}, time.Hour) != 0 || keepFor(http.Header{"Vary": {"*"}}, time.Hour) != 0 {
		t.Error("an old way to say so is not understood")
	}
}
