package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// visited lists what a walk comes by, folders with a slash.
func visited(t *testing.T, w *Walker) ([]string, Troubles) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	w.Root = openRoot(t, w.Abs)
	troubles, err := w.Walk(t.Context(), func(_ int, e *Entry) error {
		mu.Lock()
		defer mu.Unlock()
		suffix := map[Kind]string{Folder: "/", Link: "@", Other: "?"}[e.Kind]
		got = append(got, e.Path+suffix)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got, troubles
}

func TestWalk(t *testing.T) {
	for name, tt := range map[string]struct {
		files  map[string]string
		walker Walker
		want   []string
	}{
		"plain":                   {files: map[string]string{"a": "", "d/b": "", "e/": ""}, want: []string{"a", "d/", "d/b", "e/"}},
		"git folder":              {files: map[string]string{".git/x": "", "a": ""}, want: []string{"a"}},
		"ignored":                 {files: map[string]string{".gitignore": "*.o\n/out/\n", "a.o": "", "d/b.o": "", "out/x": "", "d/out/y": ""}, want: []string{".gitignore", "d/", "d/out/", "d/out/y"}},
		"all":                     {files: map[string]string{".gitignore": "*.o\n", "a.o": ""}, walker: Walker{All: true}, want: []string{".gitignore", "a.o"}},
		"nested wins":             {files: map[string]string{".gitignore": "*.o\n", "d/.gitignore": "!b.o\n", "d/b.o": "", "b.o": ""}, want: []string{".gitignore", "d/", "d/.gitignore", "d/b.o"}},
		"not below ignored":       {files: map[string]string{".gitignore": "d/\n!d/keep\n", "d/keep": ""}, want: []string{".gitignore"}},
		"exclude":                 {files: map[string]string{".git/info/exclude": "secret\n", "secret": "", "a": ""}, want: []string{"a"}},
		"exclude loses":           {files: map[string]string{".git/info/exclude": "x\n", ".gitignore": "!x\n", "x": ""}, want: []string{".gitignore", "x"}},
		"nested repository":       {files: map[string]string{".gitignore": "*.o\n", "d/.git/HEAD": "", "d/a.o": ""}, want: []string{".gitignore", "d/", "d/a.o"}},
		"a .ignore counts most":   {files: map[string]string{".gitignore": "*.o\n*.log\n", ".ignore": "!a.o\nb.txt\n", "a.o": "", "b.o": "", "b.txt": "", "d/b.txt": ""}, want: []string{".gitignore", ".ignore", "a.o", "d/"}},
		"a .ignore deeper":        {files: map[string]string{".ignore": "x\n", "d/.ignore": "!x\n", "x": "", "d/x": ""}, want: []string{".ignore", "d/", "d/.ignore", "d/x"}},
		"personal, in repository": {files: map[string]string{".git/HEAD": "", ".gitignore": "!keep.swp\n", "a.swp": "", "keep.swp": "", "d/b.swp": "", "top": "", "d/top": ""}, walker: Walker{Global: ParseRules([]byte("*.swp\n/top\n"))}, want: []string{".gitignore", "d/", "d/top", "keep.swp"}},
		"personal, nested":        {files: map[string]string{"a.swp": "", "r/.git/HEAD": "", "r/a.swp": "", "r/b": ""}, walker: Walker{Global: ParseRules([]byte("*.swp\n"))}, want: []string{"a.swp", "r/", "r/b"}},
		"negated in a nested one": {files: map[string]string{".gitignore": "/d/*\n!/d/e/\n", "d/x": "", "d/e/y": ""}, want: []string{".gitignore", "d/", "d/e/", "d/e/y"}},
		"CRLF and mark":           {files: map[string]string{".gitignore": "\xef\xbb\xbfx\r\ny\r\n", "x": "", "y": "", "z": ""}, want: []string{".gitignore", "z"}},
		"rules above":             {files: map[string]string{"a.o": "", "b": ""}, walker: Walker{Above: []Above{{ParseRules([]byte("*.o\n/sub/b\n")), "sub"}}}, want: []string{}},
		"pruned":                  {files: map[string]string{"a/x": "", "b/x": ""}, walker: Walker{Prune: func(p string) bool { return p == "a" }}, want: []string{"b/", "b/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := tt.walker
			w.Abs = tree(t, tt.files)
			got, troubles := visited(t, &w)
			if d := cmp.Diff(tt.want, got, equateEmpty); d != "" || troubles.Count != 0 {
				t.Errorf("%s%v", d, troubles)
			}
		})
	}
}

var equateEmpty = cmpopts.EquateEmpty()

func TestWalkHidden(t *testing.T) {
	dir := tree(t, map[string]string{".ssh/id": "", "a": ""})
	got, _ := visited(t, &Walker{Abs: dir, Hidden: func(abs string) bool { return abs == filepath.Join(dir, ".ssh") }})
	if want := []string{"a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWalkAgainstGit compares whole trees with made-up ignore files at every
// level, against what git lists as not ignored.
func TestWalkAgainstGit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 25 {
		dir := repo(t)
		for _, d := range []string{"", "a/", "b/", "a/b/", "b/a/", "a/b/c/"} {
			for _, f := range []string{"x", "y.o", "z.c", "x y"} {
				write(t, filepath.Join(dir, d, f), "")
			}
			if rng.IntN(3) == 0 {
				var rules strings.Builder
				for range 1 + rng.IntN(4) {
					rules.WriteString(pick("", "", "!") + pick("", "", "/", "**/") + pick("x", "*.o", "a", "b", "*", "a/b", "?.c", "a/**", "x\\ y", "c/x") + pick("", "", "/") + "\n")
				}
				write(t, filepath.Join(dir, d, ".gitignore"), rules.String())
			}
		}
		write(t, filepath.Join(dir, ".git/info/exclude"), pick("*.c\n", "b/\n", "/a/x\n"))
		personal := pick("*.o\n", "b/c\n!x\n", "/a/b\n", "")
		write(t, filepath.Join(dir, ".git/personal"), personal)
		git(t, dir, nil, "config", "core.excludesFile", filepath.Join(dir, ".git/personal"))
		want := strings.Split(strings.TrimSuffix(string(git(t, dir, nil, "ls-files", "-z", "--others", "--exclude-standard")), "\x00"), "\x00")
		slices.Sort(want)
		got, _ := visited(t, &Walker{Abs: dir, Global: ParseRules([]byte(personal))})
		got = slices.DeleteFunc(got, func(p string) bool { return strings.HasSuffix(p, "/") })
		if d := cmp.Diff(want, got, equateEmpty); d != "" && !(len(want) == 1 && want[0] == "" && len(got) == 0) {
			t.Errorf("in a tree with %s\n%s", rulesOf(t, dir), d)
		}
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rulesOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	found, err := filepath.Glob(filepath.Join(dir, "*", ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(found, filepath.Join(dir, ".gitignore"), filepath.Join(dir, ".git/info/exclude"), filepath.Join(dir, ".git/personal")) {
		if data, err := os.ReadFile(path); err == nil {
			fmt.Fprintf(&b, "%s: %q\n", strings.TrimPrefix(path, dir), data)
		}
	}
	return b.String()
}

// Folders nested without end are given up with a word, not with a crash or by
// holding every handle of the process.
func TestWalkDeep(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	at := root
	for range maxDepth + 20 {
		if err := at.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot("d")
		if err != nil {
			t.Fatal(err)
		}
		if at != root {
			at.Close()
		}
		at = next
	}
	at.Close()
	got, troubles := visited(t, &Walker{Abs: dir})
	if troubles.Count != 1 || !strings.Contains(troubles.First[0], "too deep") {
		t.Errorf("troubles: %+v", troubles)
	}
	if len(got) != maxDepth+1 {
		t.Errorf("%d folders, want %d", len(got), maxDepth+1)
	}
}
