package builder

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/test/suite"
)

var update = flag.Bool("update", false, "write what the example prints to testdata")

// TestExample compiles and runs the example of examples as a third party
// does: as a module of its own, outside this one. What it prints is compared.
func TestExample(t *testing.T) {
	root := suite.Root(t)
	from, dir := filepath.Join(root, "examples", "catalogue"), t.TempDir()
	sources, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no example in %s: %v", from, err)
	}
	for _, path := range sources {
		imports(t, path)
		copyFile(t, path, filepath.Join(dir, filepath.Base(path)), func(b []byte) []byte { return b })
	}
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"), func(b []byte) []byte { return b })
	copyFile(t, filepath.Join(from, "go.mod"), filepath.Join(dir, "go.mod"), func(b []byte) []byte {
		return bytes.Replace(b, []byte("=> ../.."), []byte("=> "+strconv.Quote(root)), 1)
	})
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("the example: %v\n%s", err, log.String())
	}
	for _, inner := range []string{"10.1.2.3", "password"} {
		if strings.Contains(out.String(), inner) || !strings.Contains(log.String(), inner) {
			t.Errorf("%q belongs in the log, and nowhere else:\n%s\n%s", inner, out.String(), log.String())
		}
	}
	got := regexp.MustCompile(`internal error [A-Z2-7]{8}`).ReplaceAllString(out.String(), "internal error $$ID")
	golden := filepath.Join("testdata", "catalogue.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("the example prints something else (-want +got):\n%s", d)
	}
}

// imports fails t where an example needs more of ours than it should.
func imports(t *testing.T, path string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		switch rest, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), "github.com/hobkin/hobkin/"); {
		case ours && rest != "core/capability" && rest != "core/agent/builder":
			t.Errorf("%s imports %s", path, rest)
		}
	}
}

func copyFile(t *testing.T, from, to string, edit func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, edit(b), 0o644); err != nil {
		t.Fatal(err)
	}
}
