package secret

import "strings"

// A shape is a kind of key or token that can be told by its looks.
type shape struct {
	prefix string // at least two bytes
	// match looks at s, which has the prefix at i. It returns how many bytes
	// from i the token ends, 0 for none, and how many of them are no secret.
	match func(s string, i int) (skip, n int)
}

var shapes = []shape{
	{"sk-", wordy}, // OpenAI, Anthropic, OpenRouter and many more
	key("sk_live_", 16, 200),
	key("sk_test_", 16, 200),
	key("rk_live_", 16, 200),
	key("ghp_", 30, 100), // GitHub
	key("gho_", 30, 100),
	key("ghu_", 30, 100),
	key("ghs_", 30, 400),
	key("ghr_", 30, 100),
	key("github_pat_", 30, 200),
	key("glpat-", 20, 100), // GitLab
	key("xoxb-", 16, 300),  // Slack
	key("xoxp-", 16, 300),
	key("xoxa-", 16, 300),
	key("xoxr-", 16, 300),
	key("xoxs-", 16, 300),
	key("xoxe-", 16, 300),
	key("xapp-", 16, 300),
	capitals("AKIA", 16), // AWS
	capitals("ASIA", 16),
	key("AIza", 35, 35), // Google
	dotted("ya29.", 20, 2000),
	key("hf_", 30, 60), // Hugging Face
	key("npm_", 36, 36),
	key("pypi-", 50, 300),
	key("gsk_", 40, 80),
	key("xai-", 60, 120),
	key("tvly-", 20, 80),
	key("dop_v1_", 60, 80),
	dotted("SG.", 40, 100),
	capitals("AGE-SECRET-KEY-1", 58),
	{"eyJ", jwt},
	{"Bearer ", bearer},
	{"bearer ", bearer},
	{"Basic ", bearer},
	{"basic ", bearer},
	{"-----BEGIN ", privateKey},
	{"://", password},
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isToken(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// run is where a run of bytes that fit ends.
func run(s string, i int, fits func(byte) bool) int {
	for i < len(s) && fits(s[i]) {
		i++
	}
	return i
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
func dotted(prefix string, least, most int) shape {
	return word(prefix, least, most, func(c byte) bool { return isToken(c) || c == '.' })
}

func word(prefix string, least, most int, fits func(byte) bool) shape {
	return shape{prefix, func(s string, i int) (int, int) {
		start := i + len(prefix)
		end := run(s, start, fits)
		for end > start && s[end-1] == '.' {
			end-- // it ends a sentence
		}
		if n := end - start; !free(s, i) || n < least || n > most || !strings.ContainsFunc(s[start:end], notPlain) {
			return 0, 0
		}
		return 0, end - i
	}}
}

func notPlain(c rune) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }

// wordy is a key that begins with sk-, which is also the end of ordinary words
// and the beginning of names in style sheets: some stretch of it must look
// drawn by lot.
func wordy(s string, i int) (int, int) {
	const least = 20
	end := run(s, i+len("sk-"), isToken)
	if !free(s, i) || end-i < least {
		return 0, 0
	}
	for part := range strings.FieldsFuncSeq(s[i+len("sk-"):end], func(c rune) bool { return c == '-' || c == '_' }) {
		if len(part) >= 12 && strings.ContainsFunc(part, func(c rune) bool { return c >= '0' && c <= '9' }) {
			return 0, end - i
		}
	}
	return 0, 0
}

// capitals is a prefix and n capitals and digits behind it, as a word of its
// own.
func capitals(prefix string, n int) shape {
	return shape{prefix, func(s string, i int) (int, int) {
		start := i + len(prefix)
		end := run(s, start, func(c byte) bool { return isDigit(c) || 'A' <= c && c <= 'Z' })
		if !free(s, i) || end-start != n || end < len(s) && isToken(s[end]) {
			return 0, 0
		}
		return 0, end - i
	}}
}

// jwt is three parts in base64url with dots between them, the first two JSON
// objects.
func jwt(s string, i int) (int, int) {
	head := run(s, i, isToken)
	if !free(s, i) || head-i < 13 || !strings.HasPrefix(s[head:], ".eyJ") {
		return 0, 0
	}
	body := run(s, head+1, isToken)
	if body == len(s) || s[body] != '.' {
		return 0, 0
	}
	return 0, run(s, body+1, isToken) - i
}

// bearer is the credential of an Authorization header; the word before it
// stays.
func bearer(s string, i int) (int, int) {
	start := i + strings.IndexByte(s[i:], ' ') + 1
	end := run(s, start, func(c byte) bool { return isToken(c) || strings.IndexByte(".~+/=", c) >= 0 })
	if !free(s, i) || end-start < 16 || !strings.ContainsFunc(s[start:end], func(c rune) bool { return c >= '0' && c <= '9' }) {
		return 0, 0
	}
	return start - i, end - i
}

const (
	pemEnd   = "-----END "
	pemMost  = 64 << 10
	pemLabel = 60
)

// privateKey is a PEM block whose label says so. One whose end is cut off is
// hidden as far as it can reach.
func privateKey(s string, i int) (int, int) {
	label := s[i+len("-----BEGIN "):]
	label = label[:min(len(label), pemLabel)]
	name, _, ok := strings.Cut(label, "-----")
	if !ok || !strings.Contains(name, "PRIVATE KEY") {
		return 0, 0
	}
	rest := s[i:min(len(s), i+pemMost)]
	if end := strings.Index(rest, pemEnd); end >= 0 {
		tail := rest[end+len(pemEnd):]
		if n := strings.Index(tail, "-----"); n >= 0 && n < pemLabel {
			return 0, end + len(pemEnd) + n + len("-----")
		}
	}
	if quote := strings.IndexByte(rest, '"'); quote >= 0 {
		return 0, quote // inside a JSON string
	}
	return 0, len(rest)
}

// password is the one in scheme://user:password@host; the rest stays.
func password(s string, i int) (int, int) {
	start := i + len("://")
	end := run(s, start, func(c byte) bool { return c > ' ' && strings.IndexByte("/@\"'<>`\\", c) < 0 })
	colon := strings.IndexByte(s[start:end], ':')
	if end == len(s) || s[end] != '@' || colon < 0 {
		return 0, 0
	}
	from := start + colon + 1
	if from == end || s[from:end] == Hidden || strings.ContainsAny(s[from:end], "${}*") || strings.Count(s[from:end], "x") == end-from {
		return 0, 0 // a placeholder
	}
	return from - i, end - i
}
