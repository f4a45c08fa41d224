package x11

import (
	"encoding/binary"
	"io"
)

// The families of addresses in an authority file that fit any host.
const familyWild = 65535

// cookieName is the one scheme that X servers still use.
const cookieName = "MIT-MAGIC-COOKIE-1"

// findCookie reads an authority file: entries of a family and four counted
// strings. One for this host is better than one for any.
func findCookie(raw []byte, host, number string) (cookie []byte) {
	for len(raw) > 0 {
		if len(raw) < 2 {
			return cookie
		}
		family := binary.BigEndian.Uint16(raw)
		raw = raw[2:]
		var field [4]string // address, number, scheme, key
		for i := range field {
			var err error
			if field[i], raw, err = counted(raw); err != nil {
				return cookie
			}
		}
		if field[2] != cookieName || len(field[3]) != 16 || field[1] != "" && field[1] != number {
			continue
		}
		if family != familyWild && field[0] == host {
			return []byte(field[3])
		}
		if family == familyWild || cookie == nil && field[0] == "" {
			cookie = []byte(field[3])
		}
	}
	return cookie
}

func counted(raw []byte) (s string, rest []byte, err error) {
	if len(raw) < 2 {
		return "", nil, io.ErrUnexpectedEOF
	}
	n := int(binary.BigEndian.Uint16(raw))
	if len(raw) < 2+n {
		return "", nil, io.ErrUnexpectedEOF
	}
	return string(raw[2 : 2+n]), raw[2+n:], nil
}
