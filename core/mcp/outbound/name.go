package outbound

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// longest is the longest name that every provider takes for a tool.
const longest = 64

// hashed is how many hex digits tell shortened names apart.
const hashed = 8

// toolName is the name of a server's tool in the registry, and the alias that
// other agents use for it. Both begin with prefix and its parts are joined:
// mcp_mail_send_message, mcp__mail__send_message. What is too long or has other
// characters is shortened to a hash of the whole, so that two tools never
// become one. An alias that would have to be shortened is left out.
func toolName(server, tool string) (name, alias string) {
	name = fitted("mcp_"+server+"_"+tool, server, tool)
	if alias = "mcp__" + server + "__" + tool; !capability.ValidName(alias) {
		alias = ""
	}
	return name, alias
}

func fitted(name, server, tool string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if clean == name && len(name) <= longest {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	end := "_" + hex.EncodeToString(sum[:])[:hashed]
	return clean[:min(len(clean), longest-len(end))] + end
}
