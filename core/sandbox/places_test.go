package sandbox

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever the links, a path leads where following it from the top leads.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	names := []string{"a", "b", "c", "d"}
	for range 60 {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		some := func() string {
			parts := make([]string, 1+rng.IntN(4))
			for i := range parts {
				parts[i] = names[rng.IntN(len(names))]
			}
			return filepath.Join(parts...)
		}
		for range 12 {
			at := filepath.Join(top, some())
			if os.MkdirAll(filepath.Dir(at), 0o755) != nil {
				continue // a file or a link stands in the way
			}
			switch rng.IntN(4) {
			case 0:
				_ = os.WriteFile(at, nil, 0o600)
			case 1:
				_ = os.Symlink(some(), at)
			case 2:
				_ = os.Symlink(filepath.Join(top, some()), at)
			default:
				_ = os.Mkdir(at, 0o755)
			}
			made = append(made, at)
		}
		seen := places{}
		for range 60 {
			path := filepath.Join(top, some())
			want, err := resolve(path, nil)
			got := seen.of(path)
			if (got.err == nil) != (err == nil) || err == nil && (got.abs != want.abs || got.missing != (!want.found)) {
				t.Fatalf("%s leads to %+v, and by itself to %s, %v\nmade: %s", path, got, want.abs, err, strings.Join(made, " "))
			}
		}
	}
}
