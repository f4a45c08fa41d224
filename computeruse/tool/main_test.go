package tool

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// built is the real helper, made once for all tests of the package, without C:
// what it does on X11 needs none.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
	said []byte
}

func realHelper(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "hobkin-helper"); built.err != nil { //nolint:usetesting // for all tests
			return
		}
		built.path = filepath.Join(built.dir, "hobkin-helper")
		cmd := exec.Command("go", "build", "-o", built.path, "github.com/hobkin/hobkin/cmd/hobkin-helper") //nolint:noctx // for all tests
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		built.said, built.err = cmd.CombinedOutput()
	})
	if built.err != nil {
		t.Fatalf("the helper cannot be built: %v\n%s", built.err, built.said)
	}
	return built.path
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they mostly wait
		panic(err)
	}
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code) //nolint:forbidigo // tests end so
}
