package app

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/imagegen"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/tools/media"
	"github.com/hobkin/hobkin/core/tools/web"
	"github.com/hobkin/hobkin/core/websearch"
)

// webHost is what the web tools work with.
func (c *Core) webHost() *web.Host {
	t, f := c.cfg.Load().Tools, c.cfg.Load().Web.Fetch
	return &web.Host{
		Guard: c.guard, Summariser: summaries{c}, Engines: c.engines,
		Limits: web.Limits{
			Body: f.MaxBytes, Text: max(t.Output.InlineBytes-pageMargin, 1000), Header: f.HeaderTimeout.Std(), Whole: f.Timeout.Std(),
			Keep: f.Cache.Std(), CacheBytes: f.CacheBytes,
		},
	}
}

// mediaHost is what the media tools work with.
func (c *Core) mediaHost() *media.Host {
	return &media.Host{Files: c.files, Maker: c.pictures, Save: func(ctx context.Context, call capability.Call, name string, data []byte) (string, error) {
		return c.store.SaveMedia(ctx, outputsOf(call.Turn.Session), call.ID, name, data)
	}}
}

// engines lists the search engines to ask: the one that the call wants, else
// the model provider's own, else that of the settings, and one to fall back on.
func (c *Core) engines(name string) ([]*websearch.Engine, error) {
	cfg := c.cfg.Load()
	s := cfg.Web.Search
	usual := s.Provider
	if usual == "" {
		usual = websearch.Default
	}
	var out []*websearch.Engine
	if name == "hosted" || name == "" && s.Hosted {
		e, err := c.hostedEngine(cfg)
		switch {
		case err != nil:
			return nil, err
		case e != nil:
			out = append(out, e)
		case name == "hosted":
			return nil, errors.New("the provider of the background model hosts no search")
		}
	}
	if name == "hosted" {
		name = ""
	}
	for _, n := range []string{name, usual, websearch.Default} {
		if n == "" || slices.ContainsFunc(out, func(e *websearch.Engine) bool { return e.Name() == n }) {
			continue
		}
		e, err := c.engine(cfg, n)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// engine opens one engine of the settings.
func (c *Core) engine(cfg *config.Config, name string) (*websearch.Engine, error) {
	e, _ := cfg.Web.Search.Engine(name)
	client, err := c.serviceClient(cfg, e.BaseURL, 30*time.Second)
	if err != nil {
		return nil, err
	}
	return websearch.Open(name, websearch.Options{Client: client, BaseURL: e.BaseURL, Key: c.keyAt(e.Key)})
}

// hostedEngine is the search that the provider of the background model hosts;
// nil when it hosts none. Only the vendors' own addresses are known to.
func (c *Core) hostedEngine(cfg *config.Config) (*websearch.Engine, error) {
	r := cfg.Models.Role("background")
	if r.Provider == "" || r.Provider == config.Offline || r.Model == "" {
		return nil, nil
	}
	p, err := cfg.Provider(r.Provider)
	if err != nil {
		return nil, err
	}
	name := map[string]string{"openai": "openai", "openai_responses": "openai", "anthropic": "anthropic", "xai": "xai"}[p.Kind]
	home := map[string]string{"openai": "api.openai.com", "anthropic": "api.anthropic.com", "xai": "api.x.ai"}[name]
	if name == "" || p.BaseURL != "" && hostOf(p.BaseURL) != home {
		return nil, nil
	}
	client, err := c.serviceClient(cfg, "", 2*time.Minute)
	if err != nil {
		return nil, err
	}
	return websearch.Open(name, websearch.Options{Client: client, Model: r.Model, Key: c.keyAt(p.Key)})
}

// hostOf is the host of an address; empty when it is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// pictures is the service of the settings that makes pictures; nil when there
// is none.
func (c *Core) pictures() (*imagegen.Maker, error) {
	cfg := c.cfg.Load()
	im := cfg.Image
	if im.Kind == "" {
		return nil, nil
	}
	if im.Key == "" && im.BaseURL == "" {
		im.Key = "keyring:" + im.Kind
	}
	client, err := c.serviceClient(cfg, im.BaseURL, 5*time.Minute)
	if err != nil {
		return nil, err
	}
	return imagegen.Open(im.Kind, imagegen.Options{
		Client: client, BaseURL: im.BaseURL, Model: im.Model, Key: c.keyAt(im.Key),
		Download: c.guard.Client(netguard.ClientOptions{Timeout: time.Minute}),
	})
}

// serviceClient reaches a service of the settings through a guard. The address
// that the owner wrote there is allowed, wherever it is, and it alone; a key
// does not follow a redirect elsewhere.
func (c *Core) serviceClient(cfg *config.Config, base string, limit time.Duration) (*http.Client, error) {
	allow := slices.Clone(cfg.Net.AllowHosts)
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		allow = append(allow, u.Host)
	}
	guard, err := netguard.New(netguard.Config{AllowHosts: allow})
	if err != nil {
		return nil, err
	}
	return guard.Client(netguard.ClientOptions{Timeout: limit, HeaderTimeout: limit, StayOnOrigin: true}), nil
}

// keyAt fetches the key that a reference leads to when it is needed. Nil means
// that there is none.
func (c *Core) keyAt(ref string) func(context.Context) (string, error) {
	if ref == "" {
		return nil
	}
	return func(ctx context.Context) (string, error) {
		v, err := c.secrets.Resolve(ctx, ref)
		return v.Reveal(), err
	}
}
