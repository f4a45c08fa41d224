package main

import "testing"

// What servers, models and files write cannot steer the terminal it is shown in.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"fine\n\tand so\n":              "fine\n\tand so\n",
		"\x1b[31mours\x1b[0m":           "\x1b[31mours\x1b[0m",
		"\x1b[2J\x1b[1;1Hgone":          "[2J[1;1Hgone",
		"\x1b[8mhidden":                 "[8mhidden",
		"\x1b]52;c;ZXZpbA==\aclip":      "]52;c;ZXZpbA==clip",
		"\x1b]8;;http://evil\x1b\\text": "]8;;http://evil\\text",
		"over\rwritten\b\b":             "overwritten",
		"\u009b2Jc1":                    "2Jc1",
		"a\x9b2J":                       "a2J",
		"exe.\u202egpj":                 "exe.gpj",
		"\u2066x\u2069 \U0001f469\u200d\U0001f52c ü": "x \U0001f469\u200d\U0001f52c ü",
		"\x1b\x1b[31m[2J": "\x1b[31m[2J",
	} {
		if got := unsteered(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\x1b\x1b[0m[2J\u009b")
	f.Fuzz(func(t *testing.T, text string) {
		got := unsteered(text)
		for at := range len(got) {
			if got[at] == 0x1b && colourAt(got[at:]) == 0 {
				t.Fatalf("%q lets %q through", text, got[at:])
			}
		}
		if again := unsteered(got); again != got {
			t.Fatalf("%q becomes %q, and that %q", text, got, again)
		}
	})
}
