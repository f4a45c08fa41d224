package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/sandbox"
)

// calm makes programs that would open an editor, a pager or a question do
// without: no one is there to answer, and nothing is on the input.
var calm = []string{
	"TERM=dumb", "NO_COLOR=1",
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "LESS=-FRX",
	"EDITOR=true", "VISUAL=true", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GCM_INTERACTIVE=never",
	"SSH_ASKPASS=true", "SSH_ASKPASS_REQUIRE=never", "SUDO_ASKPASS=/bin/false",
	"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "PYTHONUNBUFFERED=1",
}

// plainEnv is the environment where none is configured.
func plainEnv() []string { return sandbox.Env(sandbox.EnvConfig{}) }

// CommandEnv is the environment of a command that runs in dir, an absolute path.
func (h *Host) CommandEnv(dir string) []string { return h.env(dir) }

// env is the environment of a command that runs in dir.
func (h *Host) env(dir string) []string {
	base := h.Env
	if base == nil {
		base = plainEnv
	}
	over := append(slices.Clone(calm), "PWD="+dir)
	names := map[string]bool{}
	for _, pair := range over {
		name, _, _ := strings.Cut(pair, "=")
		names[name] = true
	}
	out := slices.DeleteFunc(slices.Clone(base()), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return names[name]
	})
	return append(out, over...)
}

// shellOf finds the shell that runs command lines: bash, else the system's sh;
// the name of the program, then the arguments before the line.
func shellOf(env []string) (argv []string, ok bool) {
	if path := lookPath(env, "bash"); path != "" {
		return []string{path, "--noprofile", "--norc", "-c"}, true
	}
	if path := lookPath(env, "sh"); path != "" {
		return []string{path, "-c"}, true
	}
	return nil, false
}

// lookPath finds a program as a command with this environment would.
func lookPath(env []string, name string) string {
	dirs := ""
	for _, pair := range env {
		if key, value, _ := strings.Cut(pair, "="); strings.EqualFold(key, "PATH") {
			dirs = value
		}
	}
	list := filepath.SplitList(dirs)
	if runtime.GOOS != "windows" {
		list = append([]string{"/bin", "/usr/bin"}, list...) // a shell of the project's own choice is not ours
	}
	for _, dir := range list {
		if !filepath.IsAbs(dir) || runtime.GOOS == "windows" && strings.EqualFold(filepath.Base(dir), "system32") {
			continue // there, bash is another system's
		}
		if path := programIn(dir, name); path != "" {
			return path
		}
	}
	return ""
}

// programIn is the path of a program in a folder; empty when there is none.
func programIn(dir, name string) string {
	path, err := exec.LookPath(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return ""
	}
	return path
}
