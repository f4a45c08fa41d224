package search

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/test/suite"
)

// repo is a repository without commits, for asking git itself.
func repo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git(t, dir, nil, "init", "-q")
	return dir
}

func git(t *testing.T, dir string, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// checkIgnore asks git about paths that need not exist.
func checkIgnore(t *testing.T, dir string, paths []string) map[string]bool {
	t.Helper()
	out := git(t, dir, []byte(strings.Join(paths, "\x00")+"\x00"), "check-ignore", "--no-index", "-z", "--stdin")
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		ignored[p] = true
	}
	return ignored
}

// ignoredAt judges a path as a walk does: folder by folder from the top.
func ignoredAt(r *Rules, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && r.Match(path[:i], true) == Ignore {
			return true
		}
	}
	return r.Match(strings.TrimSuffix(path, "/"), strings.HasSuffix(path, "/")) == Ignore
}

type wildRow struct{ Wildmatch, Iwildmatch, Pathmatch, Ipathmatch, Text, Pattern string }

func wildRows(t *testing.T) (rows []wildRow) {
	t.Helper()
	f, err := os.Open(suite.Path(t, "git_wildmatch.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var row wildRow
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestWildmatchSuite runs git's own table of patterns, in its four columns.
func TestWildmatchSuite(t *testing.T) {
	pass, cells := 0, 0
	for _, row := range wildRows(t) {
		for _, col := range []struct {
			name, want     string
			pathname, fold bool
		}{
			{"wildmatch", row.Wildmatch, true, false},
			{"iwildmatch", row.Iwildmatch, true, true},
			{"pathmatch", row.Pathmatch, false, false},
			{"ipathmatch", row.Ipathmatch, false, true},
		} {
			cells++
			if got := compileWild(row.Pattern, col.pathname, col.fold).match(row.Text); got != (col.want == "1") {
				t.Errorf("%s: pattern %q, text %q: got %v, want %s", col.name, row.Pattern, row.Text, got, col.want)
				continue
			}
			pass++
		}
	}
	t.Logf("git_wildmatch.jsonl: %d of %d cells", pass, cells)
}

// TestIgnoreSuite puts every pattern of the table into a .gitignore; git
// check-ignore is the judge.
func TestIgnoreSuite(t *testing.T) {
	dir := repo(t)
	pass, rows := 0, 0
	for _, row := range wildRows(t) {
		text := path.Clean(strings.Trim(row.Text, "/")) // as git takes it
		if text == "." || strings.ContainsAny(row.Pattern, "\n\x00") || !filepath.IsLocal(text) {
			continue // no path that git can be asked about
		}
		rows++
		ignore := []byte(row.Pattern + "\n")
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), ignore, 0o600); err != nil {
			t.Fatal(err)
		}
		want := checkIgnore(t, dir, []string{text})[text]
		if got := ignoredAt(ParseRules(ignore), text); got != want {
			t.Errorf("pattern %q, path %q: got %v, git says %v", row.Pattern, text, got, want)
			continue
		}
		pass++
	}
	t.Logf("git check-ignore agrees on %d of %d rows", pass, rows)
}

// TestIgnoreRandom compares many made-up ignore files with git.
func TestIgnoreRandom(t *testing.T) {
	dir := repo(t)
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	pattern := func() string {
		var b strings.Builder
		b.WriteString(pick("", "", "", "!", "/", "!/", "**/", "\\", "#", " "))
		for range 1 + rng.IntN(4) {
			b.WriteString(pick("a", "b", "ab", "*", "**", "?", "/", "/**/", "[ab]", "[!a]", "[^b-c]", "\\a", "\\*", "a*", "*.b", ".b", "\\ ", " ", "[[:alpha:]]", "[a", "]", "-"))
		}
		b.WriteString(pick("", "", "", "/", "/*", "/**", " ", "  ", "\r", "\t"))
		return b.String()
	}
	var paths []string
	for _, a := range []string{"a", "b", "ab", "a.b", "*", " a", "aab"} {
		paths = append(paths, a)
		for _, b := range []string{"a", "b", ".b", "a b"} {
			paths = append(paths, a+"/"+b, a+"/"+b+"/a.b", a+"/x/"+b+"/b")
		}
	}
	for range 150 {
		var ignore strings.Builder
		for range 1 + rng.IntN(3) {
			ignore.WriteString(pattern() + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(ignore.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		want, rules := checkIgnore(t, dir, paths), ParseRules([]byte(ignore.String()))
		for _, p := range paths {
			if got := ignoredAt(rules, p); got != want[p] {
				t.Errorf("rules %q, path %q: got %v, git says %v", ignore.String(), p, got, want[p])
			}
		}
	}
}

// FuzzRules: no pattern panics or takes long, and the compiled forms agree
// with the general one.
func FuzzRules(f *testing.F) {
	f.Add("*a*a*a*a*a*a*b\n", strings.Repeat("a", 200))
	f.Add("!/foo/**/[!a-z]\\", "foo/x/Y")
	f.Add("[[:alpha:][:foo:]]", "a")
	f.Add("**/**/**/x", "a/b/c/x")
	f.Fuzz(func(t *testing.T, data, path string) {
		rules := ParseRules([]byte(data))
		_ = ignoredAt(rules, path)
		if len(rules.list) == 1 && rules.list[0].kind == literal && !rules.list[0].base {
			r := rules.list[0]
			if r.match(path) != compileWild(r.prefix, true, false).match(path) {
				t.Errorf("the literal %q and the matcher disagree on %q", r.prefix, path)
			}
		}
	})
}
