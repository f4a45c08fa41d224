package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// keyTools are the programs that keys are made for, and those that only tell
// that a file is there. They are asked for like any other.
var keyTools = set("ssh", "sftp", "ssh-add", "ssh-keygen", "ssh-copy-id", "sshfs", "mosh", "kubectl", "helm", "k9s", "docker", "docker-compose", "podman", "gpg", "gpg2", "aws",
	"gcloud", "az", "gh", "glab", "ls", "cd", "pushd", "stat", "test", "[", "mkdir", "chmod", "echo", "printf", ":", "which", "basename", "dirname", "exit", "set", "alias")

// secrets reads, copies, changes or removes what holds credentials, or this
// app's own files.
func (f *floor) secrets(c *Command, _ *Analysis) string {
	for _, file := range slices.Concat(c.Reads, c.Writes) {
		if where := f.secretIn(c, arg{text: file, shown: file}); where != "" {
			return "it reads or writes " + where
		}
	}
	name := strings.ToLower(c.Name())
	if keyTools[name] {
		return ""
	}
	for i, a := range c.args[min(1, len(c.args)):] {
		before := c.args[i].text
		if (name == "scp" || name == "rsync") && (before == "-i" || before == "-F") {
			continue
		}
		if where := f.secretIn(c, a); where != "" {
			return name + " reads or changes " + where
		}
	}
	return ""
}

// secretIn is the protected path that a word names, in any of its parts:
// --file=PATH, @PATH, PATH:PATH, of=PATH.
func (f *floor) secretIn(c *Command, a arg) string {
	parts := []string{a.text}
	if strings.ContainsAny(a.text, "=:,@") {
		parts = append(parts, strings.FieldsFunc(a.text, func(r rune) bool { return strings.ContainsRune("=:,@", r) })...)
	}
	for _, p := range parts {
		p = strings.TrimPrefix(p, "//") // of file://
		if p == "" || p == "." && len(parts) > 1 {
			continue
		}
		look := *c
		if look.Dirs == nil && !filepath.IsAbs(p) {
			look.Dirs = []string{f.home} // the worst that it may be
		}
		word := a
		word.text = p
		for _, place := range f.places(&look, word) {
			if where := f.secretPattern(place, a.glob); where != "" {
				return where
			}
			if to := f.policy.Resolve(f.turn, place); f.policy.Secret(to) {
				return to
			}
		}
	}
	return ""
}

// secretPattern is the protected path that abs is, or may stand for.
func (f *floor) secretPattern(abs string, glob bool) string {
	if f.policy.Secret(abs) {
		return abs
	}
	if !glob || !strings.ContainsAny(abs, "*?[") {
		return ""
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(abs), "/"), "/")
	for _, s := range f.policy.Secrets() {
		n := strings.Count(strings.Trim(filepath.ToSlash(s), "/"), "/") + 1
		if len(parts) < n || strings.Contains(strings.Join(parts[:n], "/"), "**") {
			continue
		}
		last := parts[n-1]
		hidden := strings.HasPrefix(filepath.Base(s), ".") && !strings.HasPrefix(last, ".") // * fits no name with a dot
		if !hidden && matchParts("/"+strings.Join(parts[:n], "/"), s) == 0 {
			return s
		}
	}
	return ""
}

// quoted matches the strings in a program text.
var quoted = lazy.Regexp("\"((?:[^\"\\\\\\n]|\\\\.)*)\"|'((?:[^'\\\\\\n]|\\\\.)*)'|`([^`]*)`")

// removesTree matches the names of functions that delete folders.
var removesTree = lazy.Regexp(`(?i)rmtree|rm_?rf|rmSync|rmdirSync|rimraf|remove_tree|RemoveAll|delete_?tree|Remove-Item|removeSync|rm_r\b|Deltree|format-volume|clear-disk`)

// code looks at program text of another language. It cannot be understood, but
// a string in it that is a command of the floor, or a key, is plain enough.
func (f *floor) code(c *Command, a *Analysis) string {
	for _, text := range c.code {
		deletes := removesTree().MatchString(text)
		for _, m := range quoted().FindAllStringSubmatch(text, 200) {
			s := m[1] + m[2] + m[3]
			if why := f.codeString(c, a, s, deletes); why != "" {
				return why
			}
		}
		if powerText().MatchString(text) {
			return "the program text stops or restarts the machine"
		}
	}
	return ""
}

var powerText = lazy.Regexp(`(?i)\b(Stop-Computer|Restart-Computer)\b`)

func (f *floor) codeString(c *Command, a *Analysis, s string, deletes bool) string {
	word := arg{text: strings.NewReplacer("$HOME", f.home, "${HOME}", f.home).Replace(s), shown: s}
	if strings.HasPrefix(word.text, "~/") || filepath.IsAbs(word.text) {
		if where := f.secretIn(c, word); where != "" {
			return "the program text names " + where
		}
	}
	if deletes && (word.text == "~" || strings.HasPrefix(word.text, "~/") || filepath.IsAbs(word.text)) {
		if why := f.removes(c, nil, []arg{word}, "deletes"); why != "" {
			return why
		}
	}
	if strings.ContainsAny(s, " \t") {
		return f.line(s, c, a)
	}
	return ""
}
