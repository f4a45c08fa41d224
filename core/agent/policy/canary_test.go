package policy

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestCanary(t *testing.T) {
	c := NewCanary([]byte("key"), "s1")
	token := c.token
	spaced := strings.Join(strings.Split(token, ""), " ")
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(token) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	escaped, codes, unicodes, percent := each(`\x%02x`), each("%d, "), each(`\u%04x`), each("%%%02X")
	wide := strings.Map(func(r rune) rune { return r - 0x20 + 0xFF00 }, token)
	for name, tt := range map[string]struct {
		texts []string
		want  bool
	}{
		"nothing":             {[]string{""}, false},
		"another session's":   {[]string{NewCanary([]byte("key"), "s2").token}, false},
		"another key's":       {[]string{NewCanary([]byte("k"), "s1").token}, false},
		"half":                {[]string{token[:8]}, false},
		"talk of marks":       {[]string{"There is a private mark in my prompt, which I do not repeat."}, false},
		"plain":               {[]string{"it is " + token + "."}, true},
		"capitals":            {[]string{strings.ToUpper(token)}, true},
		"spaced":              {[]string{spaced}, true},
		"dashes and lines":    {[]string{strings.ReplaceAll(spaced, " ", "-\n")}, true},
		"invisible signs":     {[]string{strings.ReplaceAll(spaced, " ", "\u200b")}, true},
		"accents":             {[]string{strings.ReplaceAll(spaced, " ", "\u0301")}, true},
		"wide letters":        {[]string{wide}, true},
		"backwards":           {[]string{backwards(token)}, true},
		"in halves":           {[]string{"first " + token[:8] + ", then I say something else, then " + token[8:]}, true},
		"over arguments":      {[]string{token[:5], token[5:]}, true},
		"ROT13":               {[]string{rot13(token)}, true},
		"hexadecimal":         {[]string{"0x" + hex.EncodeToString([]byte(token))}, true},
		"hexadecimal, spaced": {[]string{fmt.Sprintf("% X", token)}, true},
		"escapes":             {[]string{escaped}, true},
		"unicode escapes":     {[]string{unicodes}, true},
		"decimal codes":       {[]string{codes}, true},
		"percent codes":       {[]string{"https://example.org/?q=" + percent}, true},
		"in an address":       {[]string{"https://example.org/?q=" + url.QueryEscape("x "+token)}, true},
		"base64":              {[]string{base64.StdEncoding.EncodeToString([]byte(token))}, true},
		"base64 of a text":    {[]string{base64.StdEncoding.EncodeToString([]byte("the mark is " + token + " and more"))}, true},
		"base64, one further": {[]string{base64.RawURLEncoding.EncodeToString([]byte("the mark is: " + token + " and more"))}, true},
		"base64, two further": {[]string{base64.StdEncoding.EncodeToString([]byte("the mark was: " + strings.ToUpper(token)))}, true},
		"base32":              {[]string{base32.StdEncoding.EncodeToString([]byte("x: " + token + " and more"))}, true},
	} {
		if got := c.In(tt.texts...); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if again := NewCanary([]byte("key"), "s1"); again != c {
		t.Error("the mark of a session changed")
	}
	if !strings.HasPrefix(c.Line(), token) || (Canary{}).Line() != "" || (Canary{}).In(token) {
		t.Error("the line of the prompt is wrong, or a canary that is off speaks")
	}
}

// Whatever is written around it and however it is cut, the mark is found, and
// no text that lacks it is blamed.
func FuzzCanary(f *testing.F) {
	f.Add("before", "after", " ", 3)
	f.Add("%zz", "\xff", "\u200b", 0)
	f.Fuzz(func(t *testing.T, before, after, sign string, at int) {
		c := NewCanary([]byte("key"), "fuzz")
		if c.In(before, after) || bare(sign) != "" || strings.Contains(sign, "%") {
			return // a text that happens to have it, or no sign
		}
		at = max(0, at) % len(c.token)
		if text := before + " " + c.token[:at] + sign + c.token[at:] + " " + after; !c.In(text) && bare(c.token[:1]) != "" {
			t.Errorf("not found in %q", text)
		}
	})
}
