package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
)

// leastLine is the shortest line of a long secret that is looked for on its
// own.
const leastLine = 20

// forms lists how a secret can stand in a text: as it is and in the usual
// encodings. Forms under [leastBytes] are left out.
func forms(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < leastBytes {
		return nil
	}
	out := []string{
		value, url.QueryEscape(value), url.PathEscape(value), lowerEscapes(url.QueryEscape(value)), lowerEscapes(url.PathEscape(value)),
		html.EscapeString(value), hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	out = append(out, jsonForms(value)...)
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			out = append(out, middle(enc, value, shift))
		}
	}
	if strings.Contains(value, "\n") {
		out = append(out, strings.ReplaceAll(value, "\n", "\r\n"))
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= leastLine && !strings.HasPrefix(line, "-----") {
				out = append(out, line)
			}
		}
	}
	long := out[:0]
	for _, f := range out {
		if len(f) >= leastBytes {
			long = append(long, f)
		}
	}
	return long
}

// jsonForms are the insides of JSON strings: with and without the escapes that
// Go writes for the sake of HTML, and escaped twice, as JSON within JSON.
func jsonForms(value string) []string {
	var out []string
	for _, escape := range []bool{true, false} {
		once := jsonString(value, escape)
		out = append(out, once, jsonString(once, escape))
	}
	return out
}

func jsonString(value string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if err := enc.Encode(value); err != nil {
		return ""
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// middle is the part of a base64 text that holds value and nothing of what
// stands before or after it, when shift bytes (modulo 3) stand before it.
func middle(enc *base64.Encoding, value string, shift int) string {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	if (shift+len(value))%3 != 0 {
		text = text[:len(text)-1] // its last bits belong to what follows
	}
	return text[[]int{0, 2, 3}[shift]:]
}

// lowerEscapes writes %2F as %2f, as some programs do.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}
