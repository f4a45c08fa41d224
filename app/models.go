package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/connect"
	"github.com/hobkin/hobkin/core/provider/offline"
)

// choose returns the model for a role, or the one that was asked for. With
// nothing configured a local server answers when there is one, else the
// built-in offline helper.
func (c *Core) choose(ctx context.Context, role, override string) ([]agent.Choice, error) {
	cfg := c.cfg.Load()
	r := cfg.Models.Role(role)
	if override != "" {
		name, model, ok := strings.Cut(override, "/")
		if !ok && name != config.Offline {
			return nil, &control.Error{Code: "bad_model", Message: fmt.Sprintf("%q is not PROVIDER/MODEL", override), Try: "list the models with: hobkin config get models, or name one such as openai/gpt-5.1"}
		}
		r.Provider, r.Model = name, model
	}
	if r.Provider == "" {
		if s, ok := c.found.first(ctx); ok {
			m, err := connect.Open(provider.Spec{Name: s.Kind, Kind: s.Kind, BaseURL: s.BaseURL, Model: s.Models[0]}, provider.Options{})
			if err == nil {
				return []agent.Choice{{Model: m, Effort: r.Effort}}, nil
			}
		}
		r.Provider = config.Offline
	}
	if r.Provider == config.Offline {
		return []agent.Choice{{Model: offline.New()}}, nil
	}
	m, err := c.open(cfg, r)
	if err != nil {
		return nil, err
	}
	return []agent.Choice{{Model: c.operating(m), Effort: r.Effort}}, nil
}

// open connects a role's model.
func (c *Core) open(cfg *config.Config, r config.Role) (provider.Model, error) {
	spec, err := c.spec(cfg, r)
	if err != nil {
		return nil, err
	}
	m, err := connect.Open(spec, provider.Options{HostedComputer: c.hosted()})
	if err != nil {
		return nil, &control.Error{Code: "bad_model", Message: err.Error(), Try: "set it with: hobkin config set models.main.model NAME"}
	}
	return m, nil
}

// spec is where a role's model is reached.
func (c *Core) spec(cfg *config.Config, r config.Role) (provider.Spec, error) {
	p, err := cfg.Provider(r.Provider)
	if err != nil {
		return provider.Spec{}, err
	}
	spec := provider.Spec{Name: r.Provider, Kind: p.Kind, BaseURL: p.BaseURL, Model: r.Model, Headers: p.Headers, Window: p.Window}
	if p.Key != "" {
		spec.Key = func(ctx context.Context) (string, error) {
			v, err := c.secrets.Resolve(ctx, p.Key)
			if err != nil {
				return "", &provider.Error{
					Provider: r.Provider, Kind: provider.KindAuth, Message: fmt.Sprintf("its key %s cannot be read: %v", p.Key, err),
					Try: "store it with: hobkin secrets set " + r.Provider, Err: err,
				}
			}
			return v.Reveal(), nil
		}
	}
	return spec, nil
}

// localServers remembers for a while which model servers run on this machine.
type localServers struct {
	mu   sync.Mutex
	at   time.Time
	list []provider.Local
}

// lookAgain is how long what was found, or not, is believed.
const lookAgain = 30 * time.Second

func (l *localServers) all(ctx context.Context) []provider.Local {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.IsZero() || time.Since(l.at) > lookAgain {
		l.list, l.at = provider.Discover(ctx), time.Now()
	}
	return l.list
}

func (l *localServers) first(ctx context.Context) (provider.Local, bool) {
	list := l.all(ctx)
	if len(list) == 0 {
		return provider.Local{}, false
	}
	return list[0], true
}

// models lists what can be picked: the configured roles, what local servers
// have, and the offline helper.
func (c *Core) models(ctx context.Context, _ none) ([]control.Model, error) {
	current, err := c.choose(ctx, "main", "")
	main := ""
	if err == nil {
		info := current[0].Model.Info()
		main = modelID(info)
	}
	out := []control.Model{}
	seen := map[string]bool{}
	add := func(info provider.Info) {
		id := modelID(info)
		if !seen[id] {
			seen[id] = true
			out = append(out, control.Model{ID: id, Title: title(info), Provider: info.Provider, Images: info.Images, Window: info.Window, Current: id == main})
		}
	}
	if err == nil {
		add(current[0].Model.Info())
	}
	cfg := c.cfg.Load()
	for _, role := range config.RoleNames() {
		if r := cfg.Models.Role(role); r.Provider != "" && r.Provider != config.Offline {
			if m, err := c.open(cfg, r); err == nil {
				add(m.Info())
			}
		}
	}
	for _, s := range c.found.all(ctx) {
		for _, name := range s.Models {
			add(provider.Describe(provider.Spec{Name: s.Kind, Kind: s.Kind, BaseURL: s.BaseURL, Model: name}))
		}
	}
	add(offline.New().Info())
	return out, nil
}

// modelID is the id by which a model is asked for: provider/model.
func modelID(info provider.Info) string {
	if info.Provider == config.Offline {
		return config.Offline
	}
	return info.Provider + "/" + info.Model
}

func title(info provider.Info) string {
	if info.Title != "" {
		return info.Title
	}
	return info.Model
}
