package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExcludesFile asks git itself where the file of a person is.
func TestExcludesFile(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing said":    {},
		"in the home":     {".gitconfig": "[core]\n\texcludesFile = ~/my ignore # a comment\n"},
		"absolute":        {".gitconfig": "[core] excludesfile = \"/some/\\\"place\\\"\"\n"},
		"in the config":   {".config/git/config": "[Core]\n\tEXCLUDESFILE=~/x\n"},
		"the home's wins": {".config/git/config": "[core]\n\texcludesfile = ~/x\n", ".gitconfig": "[core]\n\texcludesfile = ~/y\n[user]\n\tname = z\n"},
		"the last wins":   {".gitconfig": "[core]\n\texcludesfile = ~/x\n[user]\n\tname = z\n[core]\n\texcludesfile = ~/y\n"},
		"another section": {".gitconfig": "[core \"x\"]\n\texcludesfile = ~/x\n"},
		"over two lines":  {".gitconfig": "[core]\n\texcludesfile = ~/a\\\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for file, data := range files {
				at := filepath.Join(home, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "git", "config", "--type=path", "--get", "core.excludesFile")
			cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			out, err := cmd.Output()
			want := strings.TrimSuffix(string(out), "\n")
			if err != nil { // it is said nowhere
				want = filepath.Join(home, ".config/git/ignore")
			}
			if got := ExcludesFile(home, ""); got != want {
				t.Errorf("got %q, git says %q", got, want)
			}
		})
	}
}
