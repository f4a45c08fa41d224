// Package searchtest makes folders for measurements of searches.
package searchtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BigTree makes a tree of 200,000 files of some lines, one in 500 of which has
// "here is the needle", with ignore files on two levels; a repository, since peers ask for one.
func BigTree(b testing.TB) string {
	b.Helper()
	dir := b.TempDir()
	text := strings.Repeat("a line of text that nobody looks for, number after number\n", 12)
	for i := range 2000 {
		sub := filepath.Join(dir, strconv.Itoa(i%40), strconv.Itoa(i))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			data := text
			if j == 0 && i%5 == 0 {
				data += "here is the needle\n"
			}
			if err := os.WriteFile(filepath.Join(sub, strconv.Itoa(j)+".txt"), []byte(data), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		if i%10 == 0 {
			if err := os.WriteFile(filepath.Join(sub, ".gitignore"), []byte("9?.txt\n!99.txt\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.o\n/build/\n!keep\n**/tmp/\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}
