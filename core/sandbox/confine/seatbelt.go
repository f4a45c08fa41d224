package confine

import (
	"strings"
)

// profile is the profile that sandbox-exec of macOS holds a command to. Of the
// rules in one the last that fits counts.
func profile(spec *Spec, plan *Plan) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(deny default)\n")
	b.WriteString("(allow process-fork)\n(allow process-exec)\n(allow signal (target same-sandbox))\n(allow process-info* (target same-sandbox))\n")
	b.WriteString("(allow sysctl-read)\n(allow file-read-metadata)\n(allow pseudo-tty)\n")
	b.WriteString("(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\") (global-name \"com.apple.system.logger\") (global-name \"com.apple.trustd.agent\"))\n")
	b.WriteString("(allow file-read* (literal \"/\") (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/random\") (literal \"/dev/urandom\") (subpath \"/dev/fd\"))\n")
	b.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (subpath \"/dev/fd\"))\n")
	for _, dir := range plan.Passages {
		b.WriteString("(allow file-read* (literal " + quoted(dir) + "))\n")
	}
	for _, g := range plan.Grants {
		b.WriteString("(allow file-read* (subpath " + quoted(g.Path) + "))\n")
		if g.Write {
			b.WriteString("(allow file-write* (subpath " + quoted(g.Path) + "))\n")
		}
	}
	for _, path := range plan.Masks {
		b.WriteString("(deny file-read* file-write* (subpath " + quoted(path) + "))\n")
	}
	for _, path := range spec.Secrets {
		if !spec.granted(path) {
			b.WriteString("(deny file-read* file-write* (subpath " + quoted(path) + "))\n")
		}
	}
	// Nobody runs as somebody else, and nothing is made to.
	b.WriteString("(deny file-write-setugid)\n")
	switch spec.Network {
	case NetworkOff, NetworkAllowlist:
		b.WriteString("(deny network*)\n")
	default:
		b.WriteString("(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n(allow network-bind (local ip))\n(allow system-socket)\n")
		b.WriteString("(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	}
	for _, path := range spec.Sockets {
		b.WriteString("(allow network-outbound (literal " + quoted(path) + "))\n")
	}
	return b.String()
}

// granted reports whether a folder of the spec lies in a hidden path, or is it,
// so that this must not be denied as a whole.
func (s *Spec) granted(hidden string) bool {
	for _, list := range [][]string{s.Write, s.Read, s.Keys, {s.Cache, s.Tmp}} {
		for _, path := range list {
			if path != "" && within(hidden, path) {
				return true
			}
		}
	}
	return false
}

// quoted is a path as a string of the profile language.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
