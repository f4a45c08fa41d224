package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
)

func TestParseFile(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want File
	}{
		"all settings": {
			"---\ndescription: Look over a file\nargument-hint: FILE\nallowed-tools: file_read, shell(git diff *)\nmodel: openai/gpt-5.1\n---\n\nLook over $1.\n",
			File{Description: "Look over a file", Hint: "FILE", Bound: capability.Bound{"file_read", "shell(git diff *)"}, Model: "openai/gpt-5.1", Body: "Look over $1."},
		},
		"no settings":               {"# Tidy up\n\nTidy the folder.", File{Description: "Tidy up", Body: "# Tidy up\n\nTidy the folder."}},
		"empty settings":            {"---\n---\nDo it.", File{Description: "Do it.", Body: "Do it."}},
		"a list of tools":           {"---\nallowed-tools:\n  - file_read\n  - \"shell(make a, b)\"\n---\nx", File{Description: "x", Bound: capability.Bound{"file_read", "shell(make a, b)"}, Body: "x"}},
		"no tools":                  {"---\nallowed-tools: []\n---\nx", File{Description: "x", Bound: capability.Bound{}, Body: "x"}},
		"tools left blank":          {"---\nallowed-tools:\n---\nx", File{Description: "x", Bound: capability.Bound{}, Body: "x"}},
		"a comma within":            {"---\nallowed-tools: shell(echo a,b), list_dir\n---\nx", File{Description: "x", Bound: capability.Bound{"shell(echo a,b)", "list_dir"}, Body: "x"}},
		"a hint in square brackets": {"---\nargument-hint: [FILE]\n---\nx", File{Description: "x", Hint: "[FILE]", Body: "x"}},
		"lines of Windows":          {"\ufeff---\r\ndescription: a\r\n---\r\nx\r\n", File{Description: "a", Body: "x"}},
		"a line in the text":        {"Say\n---\nmore", File{Description: "Say", Body: "Say\n---\nmore"}},
	} {
		got, err := ParseFile("/c/Do-It.md", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tt.want.Name, tt.want.Path = "do-it", "/c/Do-It.md"
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestParseFileFaults(t *testing.T) {
	for name, tt := range map[string]struct{ path, text, want string }{
		"an unknown setting":    {"/c/a.md", "---\ndescription: x\ntools: y\n---\nz", `/c/a.md:3: there is no setting "tools"; there are description, argument-hint, allowed-tools, model`},
		"twice the same":        {"/c/a.md", "---\nmodel: a/b\n\nmodel: c/d\n---\nz", "/c/a.md:4: model is given twice"},
		"no YAML":               {"/c/a.md", "---\ndescription: a\n  b: [\n---\nz", "/c/a.md:3: the settings cannot be read: "},
		"never ending":          {"/c/a.md", "---\ndescription: a\n\nz", "/c/a.md:1: the settings begin here with --- and never end"},
		"a list of settings":    {"/c/a.md", "---\n- a\n---\nz", "/c/a.md:2: the settings are not lines such as description: …"},
		"a bad tool":            {"/c/a.md", "---\ndescription: a\nallowed-tools: shell(git\n---\nz", `/c/a.md:3: "shell(git" is no tool with a pattern in brackets`},
		"tools as a map":        {"/c/a.md", "---\nallowed-tools: {a: b}\n---\nz", "/c/a.md:2: allowed-tools must be a list"},
		"tools within tools":    {"/c/a.md", "---\nallowed-tools: [[a]]\n---\nz", "/c/a.md:2: allowed-tools must be a list of names"},
		"a list as description": {"/c/a.md", "---\ndescription: [a]\n---\nz", "/c/a.md:2: description must be a line of text"},
		"no text":               {"/c/a.md", "---\ndescription: a\n---\n  \n", "/c/a.md: it says nothing to the model"},
		"a bad name":            {"/c/a b.md", "z", "/c/a b.md: the name of the file can be no command"},
		"a name of a prompt":    {"/c/mcp:x:y.md", "z", "the name of the file can be no command"},
		"not text":              {"/c/a.md", "ok\nb\xff\n", "/c/a.md:2: it is not UTF-8 text"},
		"too large":             {"/c/a.md", strings.Repeat("x", mostBytes+1), "/c/a.md: it is larger than 128 KB"},
	} {
		_, err := ParseFile(tt.path, []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestReadFolder holds that a bad file is named and keeps no other from being
// read.
func TestReadFolder(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.md")
	for path, text := range map[string]string{
		"review.md": "Look over $1.", "Tidy.MD": "Tidy.", "tidy.md": "Again.", "bad.md": "---\nx: y\n---\nz", "notes.txt": "no command", ".hidden.md": "no command",
	} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.md")); err != nil {
		t.Skip("links cannot be made here")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	files, faults := ReadFolder(dir)
	var got []string
	for _, f := range files {
		got = append(got, f.Name+": "+f.Body)
	}
	if d := cmp.Diff([]string{"review: Look over $1.", "tidy: Tidy."}, got); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.Error())
	}
	said := strings.Join(lines, "\n")
	for _, want := range []string{"bad.md:2: there is no setting", "tidy.md: Tidy.MD is the same command", "link.md: it cannot be read", "folder.md: it is not a file"} {
		if !strings.Contains(said, want) {
			t.Errorf("the faults lack %q:\n%s", want, said)
		}
	}
	if len(faults) != 4 {
		t.Errorf("%d faults:\n%s", len(faults), said)
	}
	if files, faults := ReadFolder(filepath.Join(dir, "none")); files != nil || faults != nil {
		t.Errorf("a folder that is not there: %v, %v", files, faults)
	}
	if _, faults := ReadFolder(outside); len(faults) != 1 {
		t.Errorf("a folder that is a file: %v", faults)
	}
}

func FuzzParseFile(f *testing.F) {
	for _, s := range []string{"x", "---\ndescription: a\n---\nb", "---\nallowed-tools: [a, b(c)]\n---\nx", "---\n&a [*a]\n---\n", "---\n? {a: b}\n: c\n---\nx", "---\nx: !!binary =\n---\ny"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseFile("/c/a.md", text)
		switch {
		case err != nil && (err.Reason == "" || err.Line < 0 || err.Line > strings.Count(string(text), "\n")+2):
			t.Errorf("fault %+v of %q", err, text)
		case err == nil && (got.Body == "" || got.Bound.Check() != nil || strings.Contains(got.Description, "\n")):
			t.Errorf("%q gives %+v", text, got)
		}
	})
}
