package oauth

import (
	"net/http"
	"strings"
)

// A challenge is what a server says about the token it wants (RFC 6750, section
// 3; RFC 9728, section 5.1).
type challenge struct {
	metadata string // where it describes itself
	scopes   []string
	code     string // invalid_token, insufficient_scope or empty
}

// challengeOf reads the challenges of a response that are for bearer tokens.
func challengeOf(h http.Header) (c challenge) {
	for _, header := range h.Values("WWW-Authenticate") {
		scheme := ""
		for rest := header; rest != ""; {
			var word, value string
			var pair bool
			word, value, pair, rest = nextParam(rest)
			if !pair {
				scheme = strings.ToLower(word)
				continue
			}
			if scheme != "bearer" {
				continue
			}
			switch strings.ToLower(word) {
			case "resource_metadata":
				if c.metadata == "" {
					c.metadata = value
				}
			case "scope":
				c.scopes = union(c.scopes, strings.Fields(value))
			case "error":
				c.code = value
			}
		}
	}
	return c
}

// nextParam takes the next word, or the next name with its value, off a header.
func nextParam(s string) (word, value string, pair bool, rest string) {
	s = strings.TrimLeft(s, " \t,")
	end := strings.IndexAny(s, " \t,=\"")
	if end < 0 {
		return s, "", false, ""
	}
	word, s = s[:end], strings.TrimLeft(s[end:], " \t")
	if !strings.HasPrefix(s, "=") {
		return word, "", false, strings.TrimPrefix(s, `"`)
	}
	s = strings.TrimLeft(s[1:], " \t")
	if quoted, ok := strings.CutPrefix(s, `"`); ok {
		value, rest = unquote(quoted)
		return word, value, true, rest
	}
	if end = strings.IndexAny(s, " \t,"); end < 0 {
		return word, s, true, ""
	}
	return word, s[:end], true, s[end:]
}

// unquote reads up to the closing quote.
func unquote(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// union is all words of both lists, each once, in their order.
func union(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, list := range [][]string{a, b} {
		for _, w := range list {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// covers reports whether all of want are in have.
func covers(have, want []string) bool { return len(union(have, want)) == len(union(have, nil)) }
