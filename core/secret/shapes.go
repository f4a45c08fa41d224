package secret

import "strings"

// A shape is a kind of key or token that can be told by its looks.
type shape struct {
	prefix string // 2 to 64 bytes
	match  func(s string, i int) found
	inside bool // it may begin within a word
}

// inWords is a shape that may begin within a word, or that no word begins.
func inWords(prefix string, match func(string, int) found) shape { return shape{prefix, match, true} }

// ownWord is a shape that begins a word.
func ownWord(prefix string, match func(string, int) found) shape { return shape{prefix, match, false} }

// found is what a shape makes of s, which has its prefix at i. It looks no
// further back than [lookBehind] bytes.
type found struct {
	skip int  // bytes from i that are no secret and stay
	n    int  // bytes from i up to the secret's end; 0 when there is none
	open bool // text behind s could change the answer
}

const (
	lookBehind = 16       // bytes before a match that shapes look at
	mostToken  = 32 << 10 // a longer token is hidden so far; servers take no header of that length
	mostURL    = 2 << 10  // of the part of an address before its host
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isAlnum(c byte) bool { return isDigit(c) || isUpper(c) || 'a' <= c && c <= 'z' }

func isToken(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isTokenOrDot(c byte) bool { return isToken(c) || c == '.' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }

func isPath(c byte) bool { return isToken(c) || c == '/' }

func isCredential(c byte) bool { return isToken(c) || strings.IndexByte(".~+/=", c) >= 0 }

// run is where a run of bytes that fit ends, after most bytes at the latest.
// It is open when s ends before that is sure.
func run(s string, i, most int, fits func(byte) bool) (end int, open bool) {
	stop := min(len(s), i+most)
	for end = i; end < stop; end++ {
		if !fits(s[end]) {
			return end, false
		}
	}
	return end, end == len(s) && end < i+most
}

// free reports whether nothing before i belongs to the same word. A backslash
// escape before it, as in \nsk-…, does not.
func free(s string, i int) bool {
	return i == 0 || !isToken(s[i-1]) || i > 1 && s[i-2] == '\\' && strings.IndexByte("nrt", s[i-1]) >= 0
}

// key is a prefix with a word of letters, digits, _ and - behind it, between
// least and most bytes long, with a digit or a capital among them.
func key(prefix string, least, most int) shape { return word(prefix, least, most, isToken) }

// dotted is a key whose word has dots too.
func dotted(prefix string, least, most int) shape { return word(prefix, least, most, isTokenOrDot) }

// alnum is a key whose word has letters and digits only, as no name of a
// program's own with several words has.
func alnum(prefix string, least, most int) shape { return word(prefix, least, most, isAlnum) }

func word(prefix string, least, most int, fits func(byte) bool) shape {
	return ownWord(prefix, func(s string, i int) found {
		if !free(s, i) {
			return found{}
		}
		start := i + len(prefix)
		end, open := run(s, start, most+1, fits)
		for end > start && s[end-1] == '.' {
			end-- // it ends a sentence
		}
		if n := end - start; n < least || n > most || !strings.ContainsFunc(s[start:end], notPlain) {
			return found{open: open}
		}
		return found{n: end - i, open: open}
	})
}

func notPlain(c rune) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }

func isNumeral(c rune) bool { return c >= '0' && c <= '9' }

// wordy is a key that begins with sk-, which is also the end of ordinary words
// and the beginning of names in style sheets: some stretch of it must look
// drawn by lot.
func wordy(s string, i int) found {
	const least = 20
	if !free(s, i) {
		return found{}
	}
	start := i + len("sk-")
	end, open := run(s, start, mostToken, isToken)
	if end-i >= least {
		for part := range strings.FieldsFuncSeq(s[start:end], func(c rune) bool { return c == '-' || c == '_' }) {
			if len(part) >= 12 && strings.ContainsFunc(part, isNumeral) {
				return found{n: end - i, open: open}
			}
		}
	}
	return found{open: open}
}

// capitals is a prefix and n capitals and digits behind it, as a word of its
// own.
func capitals(prefix string, n int) shape {
	return exactly(prefix, n, func(c byte) bool { return isDigit(c) || isUpper(c) })
}

// hexed is a prefix and n hexadecimal digits in small letters, as a word of
// its own.
func hexed(prefix string, n int) shape { return exactly(prefix, n, isHex) }

func exactly(prefix string, n int, fits func(byte) bool) shape {
	return ownWord(prefix, func(s string, i int) found {
		if !free(s, i) {
			return found{}
		}
		start := i + len(prefix)
		end, open := run(s, start, n, fits)
		ok := end-start == n && (end == len(s) || !isToken(s[end])) && (n <= 16 || strings.ContainsFunc(s[start:end], isNumeral))
		return found{n: whole(ok, end-i), open: open || end-start == n && end == len(s)}
	})
}

// whole is n where a token is whole, else 0.
func whole(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// behind is a credential of at least so many bytes, with a digit, behind
// words that stay, such as Bearer.
func behind(prefix string, least int, fits func(byte) bool) shape {
	return ownWord(prefix, func(s string, i int) found {
		if isAlnum(prefix[0]) && !free(s, i) {
			return found{}
		}
		start := i + len(prefix)
		end, open := run(s, start, mostToken, fits)
		if end-start < least || !strings.ContainsFunc(s[start:end], isNumeral) {
			return found{open: open}
		}
		return found{skip: len(prefix), n: end - i, open: open}
	})
}

// setting is the name of a setting whose value is a key of 40 bytes: with =
// or :, and with or without quotes and spaces.
func setting(name string) shape {
	const length, between = 40, 8
	return inWords(name, func(s string, i int) found {
		start, open := run(s, i+len(name), between, func(c byte) bool { return strings.IndexByte(` "'=:`, c) >= 0 })
		if open || start == i+len(name) {
			return found{open: open}
		}
		end, open := run(s, start, length+1, func(c byte) bool { return isAlnum(c) || c == '/' || c == '+' })
		return found{skip: start - i, n: whole(end-start == length, end-i), open: open}
	})
}

// connection is the password in a connection string: up to the next semicolon,
// quote or white space.
func connection(s string, i int) found {
	start := i + strings.IndexByte(s[i:], '=') + 1
	end, open := run(s, start, mostURL, func(c byte) bool { return c > ' ' && strings.IndexByte(";\"'<>`\\", c) < 0 })
	if placeholder(s[start:end]) {
		return found{open: open}
	}
	return found{skip: start - i, n: end - i, open: open}
}

// telegram is a bot's token, NUMBER:AA…, of which the number stays.
func telegram(s string, i int) found {
	const digits, length = 8, 35
	from := i
	for from > 0 && i-from < lookBehind-1 && isDigit(s[from-1]) {
		from--
	}
	if i-from < digits || i-from > digits+2 {
		return found{}
	}
	end, open := run(s, i+1, length+1, isToken)
	return found{skip: 1, n: whole(end-i-1 == length, end-i), open: open}
}

// refresh is a refresh token of Google's: 1//0 and what follows.
func refresh(s string, i int) found {
	const least = 40
	if !free(s, i) {
		return found{}
	}
	end, open := run(s, i+len("1//0"), mostToken, isToken)
	return found{n: whole(end-i >= least, end-i), open: open}
}

// atlas is a token of Terraform's: an id of 14 bytes, .atlasv1. and the secret.
func atlas(s string, i int) found {
	const id, least = 14, 60
	if i < id || strings.ContainsFunc(s[i-id:i], func(c rune) bool { return c > 'z' || !isAlnum(byte(c)) }) {
		return found{}
	}
	end, open := run(s, i+len(".atlasv1."), mostToken, isToken)
	return found{n: whole(end-i >= least, end-i), open: open}
}

// jwt is three parts in base64url with dots between them, the first two JSON
// objects.
func jwt(s string, i int) found {
	const next, least = ".eyJ", 13
	if !free(s, i) {
		return found{}
	}
	head, open := run(s, i, mostToken, isToken)
	switch rest := s[head:]; {
	case open || head-i >= least && len(rest) < len(next) && strings.HasPrefix(next, rest):
		return found{open: true}
	case head-i < least || !strings.HasPrefix(rest, next):
		return found{}
	}
	body, open := run(s, head+1, mostToken, isToken)
	if open || body == len(s) || s[body] != '.' {
		return found{open: open}
	}
	end, open := run(s, body+1, mostToken, isToken)
	return found{n: end - i, open: open}
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemMost  = 64 << 10
	pemLabel = 60
	pemDash  = "-----"
)

// privateKey is a PEM block whose label says so. One whose end is cut off is
// hidden as far as it can reach.
func privateKey(s string, i int) found {
	label := s[i+len(pemBegin):]
	label = label[:min(len(label), pemLabel)]
	name, _, ok := strings.Cut(label, pemDash)
	if !ok {
		return found{open: len(label) < pemLabel}
	}
	if !strings.Contains(name, "PRIVATE KEY") {
		return found{}
	}
	rest := s[i:min(len(s), i+pemMost)]
	open := len(rest) < pemMost
	if end := strings.Index(rest, pemEnd); end >= 0 {
		tail := rest[end+len(pemEnd):]
		n := strings.Index(tail[:min(len(tail), pemLabel+len(pemDash))], pemDash)
		if n >= 0 {
			return found{n: end + len(pemEnd) + n + len(pemDash)}
		}
		open = open && len(tail) < pemLabel+len(pemDash)
	}
	if quote := strings.IndexByte(rest, '"'); quote >= 0 {
		return found{n: quote, open: open} // inside a JSON string
	}
	return found{n: len(rest), open: open || len(rest) < pemMost}
}

// password is the one in scheme://user:password@host; the rest stays.
func password(s string, i int) found {
	start := i + len("://")
	end, open := run(s, start, mostURL, func(c byte) bool { return c > ' ' && strings.IndexByte("/@\"'<>`\\", c) < 0 })
	colon := strings.IndexByte(s[start:end], ':')
	if open || end == len(s) || s[end] != '@' || colon < 0 {
		return found{open: open}
	}
	from := start + colon + 1
	if placeholder(s[from:end]) {
		return found{}
	}
	return found{skip: from - i, n: end - i}
}

// placeholder reports whether a password is none: nothing, stars, a variable,
// or hidden already.
func placeholder(s string) bool {
	return s == "" || s == Hidden || strings.ContainsAny(s, "${}*") || strings.Count(s, "x") == len(s)
}
