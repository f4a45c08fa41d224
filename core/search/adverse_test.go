package search

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Files that go, shrink or grow while a search is under way are searched as far
// as they are there, and end nothing.
func TestChangingFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("f%02d", i)] = strings.Repeat("text\n", 2000) + "needle\n"
	}
	dir := tree(t, files)
	p, err := Compile(Query{Text: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Pattern: p, Accept: func(path string) bool {
		at := filepath.Join(dir, path)
		var err error
		switch path[2] {
		case '0':
			err = os.Remove(at)
		case '1':
			err = os.Truncate(at, 100)
		case '2':
			err = os.Rename(at, at+".moved")
		case '3':
			err = os.WriteFile(at, []byte("other\n"), 0o600)
		}
		if err != nil {
			t.Error(err)
		}
		return true
	}}
	found, err := s.Run(t.Context(), &Walker{Root: openRoot(t, dir), Abs: dir})
	if err != nil || found.Troubles.Count != 0 {
		t.Errorf("got %v, troubles %+v", err, found.Troubles)
	}
	if len(found.Files) != 36 {
		t.Errorf("%d files have the text, want the 36 that were left alone", len(found.Files))
	}
}

// shrinking is a file that loses its end while it is read.
type shrinking struct{ left int }

func (s *shrinking) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.left)], strings.Repeat("needle\n", 1+len(p)/7))
	s.left -= n
	return n, nil
}

func (*shrinking) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// The lines around a hit may be gone when they are read.
func TestShrinksUnderTheSearch(t *testing.T) {
	p, err := Compile(Query{Text: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := (&Search{Pattern: p, Context: 3}).scanner().file(t.Context(), &shrinking{left: 70})
	if err != nil || hits.Count != 10 || len(hits.Hits[5].Before)+len(hits.Hits[5].After) != 0 {
		t.Errorf("got %+v, %v", hits, err)
	}
}

// oneLine is a file of one line, as long as wanted, with something at its end.
type oneLine struct {
	left int
	end  string
}

var ys = strings.Repeat("y", 1<<20)

func (o *oneLine) Read(p []byte) (int, error) {
	n := copy(p, ys[:min(len(p), o.left, len(ys))])
	o.left -= n
	if o.left == 0 {
		k := copy(p[n:], o.end)
		n, o.end = n+k, o.end[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (*oneLine) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// A line of 200 MB (25 with the race detector) is searched in pieces.
func TestLineOf200MB(t *testing.T) {
	p, err := Compile(Query{Text: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	hits, err := (&Search{Pattern: p}).scanner().file(t.Context(), &oneLine{left: sizes * 25 << 20, end: "needle yy\nneedle\n"})
	runtime.ReadMemStats(&after)
	if err != nil || len(hits.Hits) != 2 || hits.Hits[0].Line != 1 || hits.Hits[1].Line != 2 || len(hits.Hits[0].Text) > 400 {
		t.Errorf("got %+v, %v", hits, err)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 64 {
		t.Errorf("%d MB were allocated", mb)
	}
}

// Text that is not quite text: bad bytes, NUL behind the start, UTF-16 without
// its last byte.
func TestOddBytes(t *testing.T) {
	dir := tree(t, map[string]string{
		"bad":   "needle \xff\xfe\n\x80needle\n",
		"nul":   strings.Repeat("x\n", 6000) + "a\x00needle\n",
		"early": "a\x00needle\n",
		"odd":   utf16Of("needle\n") + "x",
		"half":  utf16Of("needle") + "\x00\xd8",
	})
	got := run(t, dir, Query{Text: "needle"}, Search{})
	var names []string
	for _, f := range got.Files {
		names = append(names, fmt.Sprintf("%s %d", f.Path, f.Count))
	}
	if want := []string{"bad 2", "half 1", "nul 1", "odd 1"}; !slices.Equal(names, want) || got.Troubles.Count != 0 {
		t.Errorf("got %q %+v, want %q", names, got.Troubles, want)
	}
}
