package system

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/secret"
)

// No offset to read from, and no piece that comes by itself, shows a part of a
// secret that a background command prints.
func TestTranscriptSplitsNoSecret(t *testing.T) {
	const value = "a-long-known-secret"
	r := &secret.Redactor{}
	r.Add(value)
	text := "before " + value + " after\n"
	for cut := range text {
		tr := newTranscript(1<<20, func() capability.TextStream { return r.Stream() })
		tr.add(process.Stdout, []byte(text[:cut]))
		tr.add(process.Stderr, []byte("other "+value[:5]))
		tr.add(process.Stdout, []byte(text[cut:]))
		tr.add(process.Stderr, []byte(value[5:]+"\n"))
		_, end := tr.since(0, true)
		for from := range end {
			got, _ := tr.since(from, true)
			for n := range len(value) - 7 {
				if strings.Contains(got, value[n:n+8]) {
					t.Fatalf("cut at %d, read from %d: %q", cut, from, got)
				}
			}
		}
		if got, _ := tr.since(0, true); strings.Count(got, secret.Hidden) != 2 {
			t.Fatalf("cut at %d: got %q", cut, got)
		}
	}
	tr := newTranscript(1<<20, func() capability.TextStream { return r.Stream() })
	tr.add(process.Stdout, []byte("password? a-l"))
	if got, _ := tr.since(0, false); got != "password? a-l" {
		t.Errorf("a prompt without a line end: got %q", got)
	}
}
