package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// mayOpen judges an address that a tab is sent to, before the browser sees it,
// and returns it in its plain form. It is here for the good message: what counts
// is the proxy, which judges every connection.
func (b *Browser) mayOpen(ctx context.Context, raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if strings.EqualFold(raw, blankURL) {
		return blankURL, nil
	}
	u, err := b.opts.Guard.Check(ctx, raw)
	if err != nil {
		return "", blockedOr(err)
	}
	return u.String(), nil
}

// blockedOr makes the guard's refusals those of a browser.
func blockedOr(err error) error {
	if !errors.Is(err, netguard.BlockedAddress) && !errors.Is(err, netguard.BlockedPort) {
		return err
	}
	why, _ := capability.AsUserError(err)
	return NavigationBlocked.Becausef("%s", why.Message).Trying(strings.ReplaceAll(why.Try, "[net] allow_hosts", "[browser] allow_hosts"))
}

// mayRead judges the address of a document that is about to be read. Whatever
// way it came there, a document of this machine's files, of the browser itself or
// of an internal host is not shown to a model.
func (v *view) mayRead(ctx context.Context, raw string) error {
	scheme, rest, _ := strings.Cut(raw, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		return v.in.reads.check(ctx, v.in.b.opts.Guard, raw)
	case "blob":
		if origin, err := url.Parse(rest); err == nil && (origin.Scheme == "http" || origin.Scheme == "https") {
			return v.in.reads.check(ctx, v.in.b.opts.Guard, rest)
		}
	case "about", "data", "": // made by the page that holds it
		return nil
	case "chrome-error": // the browser's own words on a page that did not load
		return nil
	}
	return ReadBlocked.Becausef("pages whose address begins with %s: are not read", clip(scheme, 40))
}

// reads remembers what the guard said of hosts: the same page is read again and
// again.
type reads struct {
	mu    sync.Mutex
	known map[string]read
}

type read struct {
	err   error
	until time.Time
}

const readTime = time.Minute

func (r *reads) check(ctx context.Context, g *netguard.Guard, raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return ReadBlocked.Becausef("the page's address cannot be read: %v", err)
	}
	r.mu.Lock()
	one, ok := r.known[u.Host]
	r.mu.Unlock()
	if ok && time.Now().Before(one.until) {
		return one.err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	_, err = g.Check(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String())
	switch {
	case err == nil:
	case errors.Is(err, netguard.BlockedAddress), errors.Is(err, netguard.BlockedPort):
		why, _ := capability.AsUserError(err)
		err = ReadBlocked.Becausef("%s", strings.TrimSuffix(why.Message, " and was not contacted"))
	default: // the name is not known just now: the proxy judged it when it was connected to
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) > 1000 {
		r.known = map[string]read{}
	}
	r.known[u.Host] = read{err, time.Now().Add(readTime)}
	return err
}

// refusals is what the proxy refused lately.
type refusals struct {
	mu   sync.Mutex
	list []refusal
	last int64
}

type refusal struct {
	serial int64
	host   string
	err    error
}

const keepRefusals = 100

func (r *refusals) add(f proxy.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.list = append(r.list, refusal{r.last, f.Host, f.Err})
	if len(r.list) > keepRefusals {
		r.list = r.list[len(r.list)-keepRefusals:]
	}
}

// mark is where a navigation begins in the list.
func (r *refusals) mark() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// failure says why an address, or one that it redirected to, was not reached: by
// what the proxy refused since the mark.
func (r *refusals) failure(mark int64, raw string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	host := ""
	if u, err := url.Parse(raw); err == nil {
		host = u.Hostname()
	}
	var last error
	for _, one := range r.list {
		if one.serial <= mark {
			continue
		}
		if one.host == host {
			return blockedOr(one.err)
		}
		if errors.Is(one.err, netguard.BlockedAddress) || errors.Is(one.err, netguard.BlockedPort) {
			last = one.err // a redirect led there
		}
	}
	if last != nil {
		return fmt.Errorf("%w", blockedOr(last))
	}
	return NavigationFailed.Becausef("%s could not be reached: the connection broke off", clip(raw, 200))
}
