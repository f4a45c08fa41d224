package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
)

const known = `p@ss/w"ord+with<specials>&more=`

func TestRedactKnown(t *testing.T) {
	r := &Redactor{}
	r.Add(known, "short", "  padded value 12 \n", "")
	quoted, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(map[string]string{"body": string(quoted)})
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"plain": known, "query": url.QueryEscape(known), "path": url.PathEscape(known), "lower escapes": "p%40ss%2fw%22ord%2bwith%3cspecials%3e%26more%3d",
		"JSON": string(quoted), "JSON in JSON": string(twice), "hex": hex.EncodeToString([]byte(known)), "HEX": fmt.Sprintf("%X", known),
		"base64": base64.StdEncoding.EncodeToString([]byte(known)), "base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(known)),
		"base64 of user and password":  base64.StdEncoding.EncodeToString([]byte("ada:" + known)),
		"base64 with more around it":   base64.StdEncoding.EncodeToString([]byte("user:" + known + "\n and more")),
		"base64 of it, two before it":  base64.StdEncoding.EncodeToString([]byte("xx" + known + "y")),
		"the other one without spaces": "padded value 12",
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			got := r.Redact("before " + form + " after")
			if !strings.Contains(got, Hidden) || strings.Contains(got, "specials") || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%s became %s", form, got)
			}
			for _, piece := range []string{form[len(form)/2-4 : len(form)/2+4]} {
				if strings.Contains(got, piece) {
					t.Errorf("%s is left in %s", piece, got)
				}
			}
		})
	}
	if got := r.Redact("this is short, and ordinary"); got != "this is short, and ordinary" {
		t.Errorf("a short value was taken out: %s", got)
	}
}

// What stays of a secret's surroundings, byte by byte.
func TestRedactExactly(t *testing.T) {
	key := pem("OPENSSH PRIVATE KEY", "b3BlbnNzaA==")
	r := &Redactor{}
	for text, want := range map[string]string{
		"Authorization: Bearer abcdef0123456789XYZ\n": "Authorization: Bearer " + Hidden + "\n",
		"Authorization: Basic dXNlcjpwYXNzd29yZDE=":   "Authorization: Basic " + Hidden,
		"postgres://ada:hunter2@db:5432/x":            "postgres://ada:" + Hidden + "@db:5432/x",
		key[:50] + `\nAAAA", "next": 1}`:              Hidden + `", "next": 1}`,
		strings.ReplaceAll(key, "\n", `\n`):           Hidden,
		"x " + key[:60]:                               "x " + Hidden,
		`\n` + "ghp_" + strings.Repeat("a1B2", 9):     `\n` + Hidden,
	} {
		if got := r.Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A known secret that begins inside another match must not leave its end.
func TestRedactOverlap(t *testing.T) {
	r := &Redactor{}
	r.Add("abcdefgh12345", "12345ZZZZZZ", "ZZZZ-tail-of-it")
	if got := r.Redact("<abcdefgh12345ZZZZZZ>"); got != "<"+Hidden+">" {
		t.Errorf("got %q", got)
	}
}

func TestRedactMultiline(t *testing.T) {
	r := &Redactor{}
	r.Add("first line of the secret 1\nsecond line of the secret\n\nend")
	got := r.Redact("log: second line of the secret\r\nplain")
	if got != "log: "+Hidden+"\r\nplain" {
		t.Errorf("got %q", got)
	}
}

func TestRedactorConcurrent(t *testing.T) {
	r := &Redactor{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v := fmt.Sprintf("value-number-%d", i)
			for range 50 {
				r.Add(v)
				if got := r.Redact("x " + v + " y"); got != "x "+Hidden+" y" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

type holder struct{ Name, Key string }

func TestHandler(t *testing.T) {
	r := &Redactor{}
	r.Add("very-secret-value")
	var out bytes.Buffer
	for name, next := range map[string]slog.Handler{"text": slog.NewTextHandler(&out, nil), "json": slog.NewJSONHandler(&out, nil)} {
		out.Reset()
		log := slog.New(r.Handler(next)).With("with", "very-secret-value").WithGroup("g")
		log.Info("msg very-secret-value", "s", "very-secret-value", "err", fmt.Errorf("opening: %w", errors.New("very-secret-value")),
			"struct", holder{"ada", "very-secret-value"}, "pointer", &holder{"ada", "very-secret-value"}, "nested", []*holder{{"ada", "very-secret-value"}},
			"bytes", []byte("very-secret-value"), "map", map[string]any{"a": "very-secret-value"}, slog.Group("in", "x", "very-secret-value"),
			"password", "abc", "API-Key", 12, "token", []string{"abc"}, "value", NewValue("abc-not-known"), "n", 7, "nothing", nil, "plain", holder{"kept", "x"})
		got := out.String()
		if strings.Contains(got, "very-secret") || strings.Contains(got, "abc") {
			t.Errorf("%s: a secret was logged: %s", name, got)
		}
		if strings.Count(got, Hidden) < 13 || !strings.Contains(got, "kept") || !strings.Contains(got, "7") {
			t.Errorf("%s: too much or too little was hidden: %s", name, got)
		}
		if name == "json" && !json.Valid(out.Bytes()) {
			t.Errorf("not JSON: %s", got)
		}
	}
}

func TestValuePrintsNothing(t *testing.T) {
	v := NewValue("very-secret-value")
	marshalled, err := json.Marshal(map[string]any{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(v), fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v), fmt.Sprintf("%v %+v", &v, struct{ V Value }{v}), string(marshalled), errors.Join(fmt.Errorf("with %v", v)).Error()} {
		if strings.Contains(text, "very") || strings.Contains(text, "76657279") {
			t.Errorf("a secret was printed: %s", text)
		}
	}
	if v.Reveal() != "very-secret-value" || v.IsZero() || !(Value{}).IsZero() {
		t.Error("the value is not what it was made of")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("key=very-secret-value, sk-abc", "very-secret-value")
	f.Add("-----BEGIN PRIVATE KEY-----", "\x00\xff\"<>&%zz")
	f.Add("://a:b@c Bearer 0123456789abcdef0", "0123456789abcdef0123\nx")
	f.Fuzz(func(t *testing.T, text, value string) {
		r := &Redactor{}
		r.Add(value)
		input := text + value + text
		got := r.Redact(input)
		value = strings.TrimSpace(value)
		if len(value) >= leastBytes && !strings.Contains(Hidden, value) && !strings.Contains(value, Hidden) && strings.Contains(strings.ReplaceAll(got, Hidden, "\x00"), value) && !strings.Contains(value, "\x00") {
			t.Errorf("%q is left in %q", value, got)
		}
		rest := input
		for piece := range strings.SplitSeq(got, Hidden) { // what is left is as it was
			_, after, ok := strings.Cut(rest, piece)
			if !ok {
				t.Fatalf("%q in %q was not in %q", piece, got, input)
			}
			rest = after
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	source, err := os.ReadFile("redactor_test.go")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(source[:bytes.Index(source, []byte("const known"))]), 200) + strings.Repeat("The quick brown fox jumps over the lazy dog 12345.\n", 2000)
	r := &Redactor{}
	for i := range 50 {
		r.Add(fmt.Sprintf("%x-secret-%d", i*7919, i))
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}
