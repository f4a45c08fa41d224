package secret

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// inPieces redacts a text that is cut at places drawn by lot.
func inPieces(r *Redactor, text string, rnd *rand.Rand, most int) string {
	s := r.Stream()
	var b strings.Builder
	for len(text) > 0 {
		n := min(len(text), 1+rnd.IntN(most))
		b.WriteString(s.Write(text[:n]))
		text = text[n:]
	}
	b.WriteString(s.Flush())
	return b.String()
}

// mixture is a text of secrets, beginnings of secrets and ordinary words.
func mixture(rnd *rand.Rand, secrets []string) string {
	words := []string{" ", "\n", "the ", "task-", "sk-", "http://localhost:8080/x ", "://", "Bearer ", "eyJ", ":AA", "12345678", "-----BEGIN ", "a\\n", "\"", "é", "@", ".", "A"}
	var b strings.Builder
	for range 1 + rnd.IntN(12) {
		if rnd.IntN(2) == 0 {
			b.WriteString(words[rnd.IntN(len(words))])
			continue
		}
		s := secrets[rnd.IntN(len(secrets))]
		if rnd.IntN(3) == 0 {
			s = s[rnd.IntN(len(s)/2):][:1+rnd.IntN(len(s)/2)]
		}
		b.WriteString(s)
	}
	return b.String()
}

// Wherever a text is cut, the pieces give what the whole gives.
func TestStreamIsAsTheWhole(t *testing.T) {
	r := &Redactor{}
	secrets := []string{"abcdefgh12345", "12345ZZZZZZ", "ZZZZ-tail-of-it", "two words & more", "line one of it\nand line two of it is long enough"}
	r.Add(secrets...)
	for _, s := range tokenSamples() {
		secrets = append(secrets, s)
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 1500 {
		text := mixture(rnd, secrets)
		want := r.Redact(text)
		for _, most := range []int{1, 3, 40} {
			if got := inPieces(r, text, rnd, most); got != want {
				t.Fatalf("seed %d: %q in pieces became %q, the whole %q", seed, text, got, want)
			}
		}
	}
}

// Ordinary text comes out as it goes in, but for the first letters of a word.
func TestStreamHoldsLittleBack(t *testing.T) {
	r := &Redactor{}
	r.Add("a-long-known-secret")
	text := strings.Repeat("The quick brown fox jumps over a lazy dog, see http://localhost:8080/path and go on.\n", 50)
	s := r.Stream()
	shown, most := 0, 0
	for i := range len(text) {
		shown += len(s.Write(text[i : i+1]))
		most = max(most, i+1-shown)
	}
	if limit := len("://localhost:8080/"); most > limit {
		t.Errorf("%d bytes were held back, want at most %d", most, limit)
	}
}

func TestStreamRelease(t *testing.T) {
	r := &Redactor{}
	r.Add("a-long-known-secret")
	for _, c := range []struct{ first, released, then, want string }{
		{"see http://localhost:8080", "http://localhost:8080", "/x", "see http://localhost:8080/x"},
		{"wait a-lo", "wait a-lo", "ng walk", "wait a-long walk"},
		{"wait a-lo", "wait a-lo", "ng-known-secret!", "wait a-lo" + Hidden + "!"},
		{"wait a-long-kno", "wait ", "wn-secret!", "wait " + Hidden + "!"},
		{"wait a-long-kno", "wait ", "t", "wait a-long-knot"},
		{"http://ada:hunter", "http", "2@host", "http://ada:" + Hidden + "@host"},
	} {
		s := r.Stream()
		got := s.Write(c.first) + s.Release()
		if !strings.HasSuffix(got, c.released) {
			t.Errorf("%q: %q was shown, want %q", c.first, got, c.released)
		}
		if got += s.Release() + s.Write(c.then) + s.Flush(); got != c.want {
			t.Errorf("%q, then %q: got %q, want %q", c.first, c.then, got, c.want)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("key=very-secret-value, sk-abc", "very-secret-value", uint64(1))
	f.Add("-----BEGIN PRIVATE KEY-----\nAAAA", "://a:b@c", uint64(2))
	f.Add("12345678:AAHk", "Bearer 0123456789abcdef0", uint64(3))
	f.Fuzz(func(t *testing.T, text, value string, seed uint64) {
		if len(text)+len(value) > 4<<10 {
			return
		}
		r := &Redactor{}
		r.Add(value)
		text += value + text
		if got, want := inPieces(r, text, rand.New(rand.NewPCG(seed, 2)), 5), r.Redact(text); got != want {
			t.Errorf("%q in pieces became %q, the whole %q", text, got, want)
		}
	})
}
