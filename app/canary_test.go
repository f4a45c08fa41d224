package app

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestCanaryKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "canary.key")
	keys := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range keys { // programs that start at once agree
		wg.Go(func() { keys[i] = canaryKey(path) })
	}
	wg.Wait()
	for _, key := range keys {
		if len(key) != canaryKeyBytes || !bytes.Equal(key, keys[0]) {
			t.Errorf("key %x, want %x", key, keys[0])
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is kept as %v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%d files are left, %v", len(list), err)
	}
	for name, text := range map[string]string{"empty": "", "short": "x", "long": string(make([]byte, 100))} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		key := canaryKey(path)
		if len(key) != canaryKeyBytes || bytes.Equal(key, keys[0]) || !bytes.Equal(key, canaryKey(path)) {
			t.Errorf("%s: a damaged key was not replaced for good", name)
		}
	}
	nowhere := filepath.Join(dir, "none", "canary.key")
	if key := canaryKey(nowhere); len(key) != canaryKeyBytes || bytes.Equal(key, make([]byte, canaryKeyBytes)) {
		t.Errorf("without a place to keep it the key is %x", key)
	}
}
