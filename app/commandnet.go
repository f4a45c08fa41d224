package app

import (
	"fmt"
	"log/slog"
	"net"

	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/proxy"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// proxied gives a spec with an allowlist the proxy that holds it. It is made
// anew for each command, so that it goes by the settings of now; without one
// the network is off.
func (h confined) proxied(spec confine.Spec) confine.Spec {
	if spec.Network != confine.NetworkAllowlist {
		return spec
	}
	rules, err := netguard.ParseRules(h.c.cfg.Load().Sandbox.NetworkHosts)
	if err != nil {
		slog.Warn("app: the hosts that commands may reach", "error", fmt.Errorf("sandbox.network_hosts: %w", err))
		return spec
	}
	spec.Serve = func(l net.Listener) {
		p := proxy.New(proxy.Options{Guard: h.c.guard, Allow: proxy.Only(rules, "[sandbox] network_hosts")})
		p.Serve(l)
		if err := p.Close(); err != nil {
			slog.Warn("app: the proxy of a command", "error", err)
		}
	}
	return spec
}
