package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseStatus(t *testing.T) {
	oid := "0123456789abcdef0123456789abcdef01234567"
	mid := " N... 100644 100644 100644 " + oid + " " + oid + " "
	out := strings.Join([]string{
		"# branch.oid " + oid, "# branch.head main", "# branch.upstream origin/main", "# branch.ab +2 -1",
		"1 M." + mid + "a b.txt", "1 .D" + mid + "gone", "1 MM" + mid + "new\nline", "2 R." + mid + "R100 to", "from it",
		"u UU N... 100644 100644 100644 100644 " + oid + " " + oid + " " + oid + " both", "? ü \"q\"", "? z", "! ign", "x unknown", "",
	}, "\x00")
	want := &Status{
		Branch: "main", Head: oid, Upstream: "origin/main", Ahead: 2, Behind: 1,
		Staged:    []Change{{Path: "a b.txt", Kind: "modified"}, {Path: "new\nline", Kind: "modified"}, {Path: "to", From: "from it", Kind: "renamed"}},
		Changed:   []Change{{Path: "gone", Kind: "deleted"}, {Path: "new\nline", Kind: "modified"}},
		Untracked: []string{`ü "q"`, "z"}, Ignored: []string{"ign"},
		Conflicts: []Change{{Path: "both", Kind: "both modified"}},
	}
	got := parseStatus(out, 100)
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Status{})); d != "" {
		t.Error(d)
	}
	if want := "1 in conflict, 3 staged, 2 changed, 2 untracked"; got.summary() != want {
		t.Errorf("got %q, want %q", got.summary(), want)
	}
	if text := got.text(); !strings.Contains(text, `modified: "new\nline"`) || !strings.Contains(text, "2 ahead of and 1 behind origin/main") || !strings.Contains(text, "renamed: from it → to") {
		t.Error(text)
	}
	few := parseStatus(out, 1)
	if !few.Cut || len(few.Staged) != 1 || few.summary() != got.summary() || !strings.Contains(few.text(), "… and 2 more") {
		t.Errorf("cut: %+v\n%s", few, few.text())
	}
}

func FuzzStatus(f *testing.F) {
	f.Add("# branch.head x\x001 M. N... 1 1 1 a b p\x00? u\x00")
	f.Add("2 R. N... 1 1 1 a b R100 to\x00from\x00u UU N... 1 1 1 1 a b c p\x00")
	f.Add("u U")
	f.Fuzz(func(t *testing.T, in string) {
		s := parseStatus(in, 5)
		if len(s.Staged) > 5 || len(s.Changed) > 5 || len(s.Untracked) > 5 || len(s.Conflicts) > 5 {
			t.Errorf("too many: %+v", s)
		}
		if !utf8.ValidString(s.text()) {
			t.Errorf("not UTF-8: %q", s.text())
		}
	})
}

// FuzzConfig compares the parser with git: what git finds we find.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"[filter \"a\"]\n\tclean = x\n", "[FILTER.Evil]Clean=x", "[a \"b\\\"c\\\\\"] k", "[a]\nk = \"x ; y\" # z\n j", "[a]k=x\\\ny\n", "\xef\xbb\xbf[a]\r\nk=1\r\n", "[a.b \"c\"]k=1", "[a\t\"b\"]k", ";c\n[a]k=\\x", "[a \"\"]k=v", "[0.]A", "k=v", "[a]-k=1", "[a \"b\n\"]k",
	} {
		f.Add(s)
	}
	if _, err := exec.LookPath("git"); err != nil {
		f.Skip("git is not installed")
	}
	f.Fuzz(func(t *testing.T, in string) {
		ours, err := parseConfig([]byte(in))
		at := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(at, []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "git", "config", "--file", at, "--no-includes", "--list", "-z", "--name-only")
		cmd.Env = gitEnv()
		out, gitErr := cmd.Output()
		if gitErr != nil || err != nil {
			if gitErr == nil && !errors.Is(err, errConfig) {
				t.Errorf("another error: %v", err)
			}
			return // what we refuse is never given to git
		}
		var names []string
		for _, s := range ours {
			names = append(names, s.fullName())
		}
		if got, want := strings.Join(names, "\x00"), strings.TrimSuffix(string(out), "\x00"); got != want {
			t.Errorf("%q: got %q, git has %q", in, got, want)
		}
	})
}
