package git

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what is looked at: a repository of someone else's may be any size.
const (
	maxConfig = 1 << 20 // bytes of one settings file
	maxHook   = 1 << 20 // bytes of one hook
	maxHooks  = 200
	maxRepos  = 200 // folders below one folder
)

// Runs tells what git would start by itself in the repositories of a folder and
// of the folders right below it: settings that name programs, and hooks. The keys
// say which, for people; the values change with what is run. A command that
// writes there has git carry out for it later what it may not do itself.
func Runs(folder string) map[string]string {
	out := map[string]string{}
	runsOf(folder, out)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return out
	}
	for _, e := range entries[:min(len(entries), maxRepos)] {
		if e.IsDir() {
			runsOf(filepath.Join(folder, e.Name()), out)
		}
	}
	return out
}

// runsOf adds what one repository runs.
func runsOf(folder string, out map[string]string) {
	dir := filepath.Join(folder, ".git")
	info, err := os.Lstat(dir)
	if err != nil {
		return
	}
	if !info.IsDir() { // a work tree or a submodule of another repository, or a link to one
		out[dir+", which leads elsewhere"] = fingerprint(dir, maxConfig)
		return
	}
	for _, name := range []string{"config", "config.worktree"} {
		for key, value := range running(head(filepath.Join(dir, name), maxConfig)) {
			out[key+" in "+filepath.Join(dir, name)] = value
		}
	}
	hooks := filepath.Join(dir, "hooks")
	entries, err := os.ReadDir(hooks)
	if err != nil {
		return
	}
	for _, e := range entries[:min(len(entries), maxHooks)] {
		if !strings.HasSuffix(e.Name(), ".sample") {
			out["the hook "+filepath.Join(hooks, e.Name())] = fingerprint(filepath.Join(hooks, e.Name()), maxHook)
		}
	}
}

// head is the beginning of a file; nothing when it cannot be read. Only plain
// files are: a pipe would never end.
func head(path string, most int64) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return string(text)
}

func fingerprint(path string, most int64) string {
	to, _ := os.Readlink(path) // empty for what is no link
	sum := sha256.Sum256([]byte(to + "\x00" + head(path, most)))
	return hex.EncodeToString(sum[:])
}

// Settings whose value git runs, or reads further settings from, by their last
// part and the section it stands in; an empty section is any.
var runningKeys = map[string][]string{
	"fsmonitor": {"core"}, "hookspath": {"core"}, "editor": {"core", "sequence"}, "pager": {"core"}, "sshcommand": {"core"}, "askpass": {"core"}, "gitproxy": {"core"},
	"alternaterefscommand": {"core"}, "command": {"diff", "trailer"}, "cmd": {"trailer", "mergetool", "difftool", "browser", "man"}, "textconv": {"diff"}, "external": {"diff"},
	"clean": {"filter"}, "smudge": {"filter"}, "process": {"filter"}, "driver": {"merge"}, "helper": {"credential"}, "program": {"gpg"}, "path": {"include", "includeif", "mergetool", "difftool", "browser"},
	"packobjectshook": {"uploadpack"}, "uploadpack": {"remote"}, "receivepack": {"remote"}, "vcs": {"remote"}, "proxy": {"remote"}, "insteadof": {"url"}, "pushinsteadof": {"url"},
	"update": {"submodule"}, "defaultkeycommand": {"gpg"}, "difffilter": {"interactive"},
}

// running are the settings of a file that make git run something. The file is
// read as git reads it as far as names go, and more strictly where it is broken.
func running(config string) map[string]string {
	out := map[string]string{}
	section, sub := "", ""
	for line := range strings.SplitSeq(strings.ReplaceAll(config, "\\\n", ""), "\n") {
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, "[") {
			section, sub, line = header(line)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, given := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		runs := slices.Contains(runningKeys[key], section) || section == "pager" || section == "alias" && strings.Contains(value, "!")
		if !runs || given && harmlessValue(value) {
			continue
		}
		name := section + "." + key
		if sub != "" {
			name = section + "." + sub + "." + key
		}
		out[name] += value + "\n" // one may stand there several times
	}
	return out
}

// harmlessValue reports whether a setting turns something on or off and names no
// program.
func harmlessValue(value string) bool {
	return value == "" || slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "checkout", "merge", "rebase", "none"}, strings.ToLower(value))
}

// header reads the name of a section, [name] or [name "sub"], and returns what
// stands behind it.
func header(line string) (section, sub, rest string) {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			section, sub, _ = strings.Cut(line[1:i], " ")
			if before, after, ok := strings.Cut(section, "."); ok { // the old way to write one
				section, sub = before, after
			}
			return strings.ToLower(section), strings.Trim(strings.TrimSpace(sub), `"`), strings.TrimSpace(line[i+1:])
		}
	}
	return "", "", ""
}
