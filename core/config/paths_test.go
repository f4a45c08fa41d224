package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultPaths(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of Linux")
	}
	long := "/" + strings.Repeat("x", 120)
	for name, tt := range map[string]struct {
		env  map[string]string
		want Paths
	}{
		"plain": {
			map[string]string{"HOME": "/home/ada"},
			Paths{"/home/ada/.config/hobkin", "/home/ada/.local/share/hobkin", "/home/ada/.local/state/hobkin", "/home/ada/.cache/hobkin", "/home/ada/.local/state/hobkin/run"},
		},
		"login": {
			map[string]string{"HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/5", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"},
			Paths{"/c/hobkin", "/d/hobkin", "/s/hobkin", "/k/hobkin", "/run/user/5/hobkin"},
		},
		"one folder": {
			map[string]string{"HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/5", "HOBKIN_HOME": "/x/"},
			Paths{"/x/config", "/x/data", "/x/state", "/x/cache", "/x/run"},
		},
		"too long for a socket": {
			map[string]string{"HOBKIN_HOME": long},
			Paths{long + "/config", long + "/data", long + "/state", long + "/cache", runtimeDir(long + "/run")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range []string{"HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOBKIN_HOME"} {
				t.Setenv(v, tt.env[v])
			}
			got, err := DefaultPaths()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if n := len(got.Socket()); n > mostSocket {
				t.Errorf("the socket's path has %d bytes: %s", n, got.Socket())
			}
		})
	}
	t.Setenv("HOBKIN_HOME", "work")
	if _, err := DefaultPaths(); err == nil || !strings.Contains(err.Error(), "absolute path") {
		t.Errorf("a relative HOBKIN_HOME: got %v", err)
	}
}

func TestCreate(t *testing.T) {
	t.Setenv("HOBKIN_HOME", filepath.Join(t.TempDir(), "h"))
	p, err := DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Create(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range p.Own() {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: got %v, %v, want mode 0700", dir, info, err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(p.Data, "README.txt"))
	if err != nil || !strings.Contains(string(readme), "not a cache") {
		t.Errorf("got %q, %v", readme, err)
	}
	if err := os.Remove(p.Runtime); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), p.Runtime); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := p.Create(); err == nil {
		t.Error("a link was taken for the runtime folder")
	}
}
