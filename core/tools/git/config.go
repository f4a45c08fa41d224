package git

import (
	"bytes"
	"errors"
	"strings"
)

// A setting is one entry of a git config file, without what its value does.
type setting struct {
	section string // lower case
	sub     string // as written; empty when there is none
	key     string // lower case
	value   string
	empty   bool // the subsection is there, and empty
}

// fullName is the setting's name as git writes it.
func (s setting) fullName() string {
	if s.sub == "" && !s.empty {
		return s.section + "." + s.key
	}
	return s.section + "." + s.sub + "." + s.key
}

var errConfig = errors.New("git: the config file does not read")

// parseConfig reads a config file as git does. It is strict: what git would
// refuse is refused, so that both see the same entries.
func parseConfig(data []byte) ([]setting, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errConfig
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := &configParser{in: bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))}
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return p.out, nil
		case isSpace(c):
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			if !p.header() {
				return nil, errConfig
			}
		case isAlpha(c) && p.section != "":
			p.at--
			if !p.entry() {
				return nil, errConfig
			}
		default:
			return nil, errConfig
		}
	}
}

type configParser struct {
	in      []byte
	at      int
	section string
	sub     string
	empty   bool
	out     []setting
}

// next gives a byte. At the end of the file it gives a line end, and false.
func (p *configParser) next() (byte, bool) {
	if p.at >= len(p.in) {
		p.at++
		return '\n', false
	}
	p.at++
	return p.in[p.at-1], true
}

func (p *configParser) skipLine() {
	for c, ok := p.next(); ok && c != '\n'; c, ok = p.next() {
	}
}

// header reads a section's head behind its bracket: [a], [a.b] or [a "b"].
func (p *configParser) header() bool {
	var name []byte
	p.sub, p.empty = "", false
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return false
		case c == ']':
			var dotted bool
			p.section, p.sub, dotted = strings.Cut(string(name), ".")
			p.empty = dotted && p.sub == ""
			return p.section != ""
		case isSpace(c):
			p.section = string(name)
			return p.quotedSub(c)
		case !isKey(c) && c != '.':
			return false
		}
		name = append(name, lower(c))
	}
}

func (p *configParser) quotedSub(c byte) bool {
	ok := true
	for isSpace(c) {
		if c == '\n' || !ok {
			return false
		}
		c, ok = p.next()
	}
	if c != '"' || p.section == "" {
		return false
	}
	var sub []byte
	for {
		c, ok = p.next()
		if c == '\\' && ok {
			if c, ok = p.next(); c != '\n' && ok {
				sub = append(sub, c)
				continue
			}
		}
		switch {
		case !ok || c == '\n':
			return false
		case c == '"':
			// [a.b "c"] is the subsection b.c of a.
			head, rest, dotted := strings.Cut(p.section, ".")
			p.section, p.sub = head, string(sub)
			if dotted {
				p.sub = rest + "." + p.sub
			}
			p.empty = p.sub == ""
			c, _ = p.next()
			return c == ']'
		}
		sub = append(sub, c)
	}
}

// entry reads a name and its value.
func (p *configParser) entry() bool {
	var key []byte
	c, ok := p.next()
	for ok && isKey(c) {
		key = append(key, lower(c))
		c, ok = p.next()
	}
	for c == ' ' || c == '\t' {
		c, _ = p.next()
	}
	s := setting{section: p.section, sub: p.sub, key: string(key), empty: p.empty}
	switch c {
	case '\n':
		s.value = "true"
	case '=':
		if s.value, ok = p.valueText(); !ok {
			return false
		}
	default:
		return false
	}
	p.out = append(p.out, s)
	return true
}

// valueText reads a value up to the end of its line.
func (p *configParser) valueText() (string, bool) {
	var b []byte
	quoted, trim := false, 0 // trim: the length without spaces at the end
	for {
		c, _ := p.next()
		switch {
		case c == '\n':
			return string(b[:trim]), !quoted
		case isSpace(c) && !quoted:
			if len(b) > 0 {
				b = append(b, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			p.skipLine()
			return string(b[:trim]), true
		case c == '"':
			quoted = !quoted
			trim = len(b)
			continue
		case c == '\\':
			esc, ok := p.next()
			if esc == '\n' && ok {
				continue
			}
			at := strings.IndexByte(`tbn\"`, esc)
			if at < 0 || !ok {
				return "", false
			}
			c = "\t\b\n\\\""[at]
		}
		b = append(b, c)
		trim = len(b)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isAlpha(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }
func isKey(c byte) bool   { return isAlpha(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
