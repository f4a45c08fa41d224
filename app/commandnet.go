package app

import (
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/proxy"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// proxied gives a spec with an allowlist the proxy that holds it, which notes
// what it turns down; kept may be nil. It is made anew for each command, so that
// it goes by the settings of now; without one the network is off.
func (h confined) proxied(spec confine.Spec, kept *keptFrom) confine.Spec {
	if spec.Network != confine.NetworkAllowlist {
		return spec
	}
	rules, err := netguard.ParseRules(h.c.cfg.Load().Sandbox.NetworkHosts)
	if err != nil {
		slog.Warn("app: the hosts that commands may reach", "error", fmt.Errorf("sandbox.network_hosts: %w", err))
		return spec
	}
	spec.Serve = func(l net.Listener) {
		p := proxy.New(proxy.Options{Guard: h.c.guard, Allow: proxy.Only(rules, "[sandbox] network_hosts"), OnRefuse: kept.note})
		p.Serve(l)
		if err := p.Close(); err != nil {
			slog.Warn("app: the proxy of a command", "error", err)
		}
	}
	return spec
}

// keptFrom are the hosts that a command asked for and did not get.
type keptFrom struct {
	mu    sync.Mutex
	hosts []string
	more  int
}

// maxKept bounds how many hosts a result names.
const maxKept = 8

func (k *keptFrom) note(f proxy.Refusal) {
	if k == nil || f.Host == "" {
		return
	}
	host := net.JoinHostPort(f.Host, strconv.Itoa(f.Port))
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case slices.Contains(k.hosts, host):
	case len(k.hosts) < maxKept:
		k.hosts = append(k.hosts, host)
	default:
		k.more++
	}
}

// said is a sentence; empty when there are none.
func (k *keptFrom) said() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.hosts) == 0 {
		return ""
	}
	names := strings.Join(k.hosts, ", ")
	if k.more > 0 {
		names += ", and more"
	}
	return "It was kept from " + capability.CutText(names, 500) + ": commands reach only the hosts in [sandbox] network_hosts."
}

// toldShell is the confinement of a command line that tells what it was kept
// from, and what it did to git.
type toldShell struct {
	*confine.Confined
	kept *keptFrom
	git  *gitWatch
}

// Said implements [github.com/hobkin/hobkin/core/tools/system.Teller].
func (t toldShell) Said() string {
	return strings.TrimSpace(t.kept.said() + " " + t.git.Said())
}
