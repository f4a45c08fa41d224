package permission

import "testing"

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\t":       "plain text\n\t",
		"é 漢字 🙂":               "é 漢字 🙂",
		"a\u202eb":             `a\u{202e}b`,
		"a\u2066b\u2069":       `a\u{2066}b\u{2069}`,
		"zero\u200bwidth":      `zero\u{200b}width`,
		"soft\u00adhyphen":     `soft\u{00ad}hyphen`,
		"no\u00a0break":        `no\u{00a0}break`,
		"\x1b[31mred":          `\u{001b}[31mred`,
		"cr\rhidden":           `cr\u{000d}hidden`,
		"tag\U000e0041":        `tag\u{e0041}`,
		"sel\ufe0f":            `sel\u{fe0f}`,
		"bom\ufeff":            `bom\u{feff}`,
		"\xff":                 `\xff`,
		"hangul\u3164filler":   `hangul\u{3164}filler`,
		"line\u2028separator":  `line\u{2028}separator`,
		"private\ue000use":     `private\u{e000}use`,
		"del\x7f":              `del\u{007f}`,
		"braille\u2800nothing": `braille\u{2800}nothing`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}
