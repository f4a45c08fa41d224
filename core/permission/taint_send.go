package permission

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A level says how far what a conversation has read may speak through a call.
type level int

// The levels, see [Taint].
const (
	clean level = iota
	touched
	tainted
)

// level tells what the session of a call has read, in the middle of a sentence.
func (t *Taint) level(turn capability.Turn) (level, string) {
	if t == nil || turn.Session == "" {
		return clean, ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.reading(turn)
	switch {
	case len(r.now) > 0:
		return tainted, "This turn has read content from outside (" + several(r.now) + ")"
	case len(r.before) > 0:
		return touched, "This conversation has read content from outside (" + several(r.before) + ")"
	case len(r.files) > 0:
		return touched, "This conversation has read texts that others may have written (" + several(r.files) + ")"
	case turn.Provenance == capability.FromSubagent:
		return touched, "This task was given by another turn"
	}
	return clean, ""
}

// several names the first of a list and how many more there are.
func several(list []string) string {
	switch len(list) {
	case 1:
		return list[0]
	case 2:
		return list[0] + " and " + list[1]
	}
	return list[0] + ", " + list[1] + " and more"
}

// opened reports whether an address may be opened without telling anyone
// anything new.
func (t *Taint) opened(turn capability.Turn, address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reading(turn).known(address)
}

// keeps are the sorts of tools that keep something for later turns.
var keeps = map[capability.Category]string{
	capability.CategoryMemory:     "it changes what Hobkin remembers",
	capability.CategorySkillAdmin: "it changes a skill, which later work goes by",
	capability.CategoryScheduling: "it plans work for later",
	capability.CategoryConfig:     "it changes settings",
}

// instructionFiles are read by agents as orders.
var instructionFiles = set("agents.md", "claude.md", "gemini.md", "skill.md", ".cursorrules", "copilot-instructions.md", "memory.md")

// agentFolders hold more of them, under any name.
var agentFolders = set(".claude", ".cursor", ".agents", ".codex", ".gemini", ".windsurf", ".clinerules", ".continue", "skills")

// placers are commands that put files under a name that stands in their words, be
// it the last or the first.
var placers = set("cp", "mv", "ln", "install", "rsync", "scp", "tar", "unzip", "dd", "link")

// orders is a file that a call changes and that agents take orders from; empty
// when it changes none.
func (s *subject) orders() string {
	var places []string
	for _, use := range s.preview.Paths {
		if use.Write {
			places = append(places, use.Path)
		}
	}
	if s.line != nil {
		places = append(places, s.fileTargets(s.line)...)
		for i := range s.line.Commands {
			c := &s.line.Commands[i]
			for _, a := range c.args[min(1, len(c.args)):] {
				if _, value, ok := strings.Cut(a.text, "="); placers[c.Name()] && ok {
					places = append(places, value)
				} else if placers[c.Name()] {
					places = append(places, a.text)
				}
			}
		}
	}
	for _, place := range places {
		parts := strings.Split(strings.ToLower(filepath.ToSlash(filepath.Clean(place))), "/")
		if instructionFiles[parts[len(parts)-1]] || slices.ContainsFunc(parts, func(p string) bool { return agentFolders[p] }) {
			return filepath.Base(place)
		}
	}
	return ""
}

// reach says what a call would do with what was read: send it out, or keep it
// for later. Empty when it does neither.
func (s *subject) reach(t *Taint) string {
	if why := keeps[s.tool.Category]; why != "" && s.tool.Class != capability.ReadOnly {
		return why
	}
	if name := s.orders(); name != "" {
		return "it changes " + name + ", which agents take orders from"
	}
	if does, known := s.pageReach(t); known {
		return does
	}
	if address := s.address(); address != "" {
		if t.opened(s.call.Turn, address) {
			return ""
		}
		return "it opens an address that stood nowhere before, so that it may carry data out"
	}
	switch {
	case s.line != nil:
		return s.line.reach()
	case s.tool.Kind != capability.KindBuiltin:
		return "it hands data to a connected server"
	case safe[s.tool.Name]:
		return ""
	case s.tool.Class == capability.Network, s.tool.Class == capability.ExternalAPI, s.tool.Category == capability.CategoryChannel && s.tool.Class != capability.ReadOnly:
		return "it sends data out"
	case s.tool.Class == capability.Exec:
		return "it runs a program, which may send data out"
	}
	return ""
}

// address is the web address a call would open and send nothing else to. A call
// that also carries a body is judged as one that sends.
func (s *subject) address() string {
	var in struct {
		URL, Path, Target, Method string
		Body, Data, Form, Headers json.RawMessage
	}
	if json.Unmarshal(s.call.Args, &in) != nil {
		in.URL = ""
	}
	if s.tool.Kind != capability.KindBuiltin || s.line != nil || len(in.Body)+len(in.Data)+len(in.Form)+len(in.Headers) > 0 ||
		in.Method != "" && !strings.EqualFold(in.Method, "GET") && !strings.EqualFold(in.Method, "HEAD") {
		return ""
	}
	if in.URL != "" && !strings.Contains(in.URL, "://") {
		in.URL = "https://" + in.URL // a tool may make one of it
	}
	for _, a := range []string{s.preview.URL, in.URL, in.Target, in.Path} {
		if strings.Contains(a, "://") && !strings.HasPrefix(strings.ToLower(a), "file:") {
			return a
		}
	}
	return ""
}

// localPrograms work on files of this machine alone. Git is told apart by its
// subcommand.
var localPrograms = set("mkdir", "rmdir", "touch", "mv", "cp", "rm", "ln", "chmod", "chown", "chgrp", "tar", "gzip", "gunzip", "zip", "unzip", "bzip2", "xz", "tee", "truncate", "sed",
	"sort", "patch", "kill", "gofmt", "gofumpt", "black", "ruff", "prettier", "cd", "cal", "install", "split", "convert", "ffmpeg", "pandoc")

// networkPrograms bring text from outside into their output.
var networkPrograms = set("curl", "wget", "aria2c", "http", "https", "xh", "lynx", "w3m", "links", "elinks", "yt-dlp", "youtube-dl", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "sftp", "scp",
	"rsync", "ssh", "dig", "nslookup", "host", "whois", "gh", "glab", "aws", "gcloud", "az", "kubectl", "finger", "mail", "mutt", "rclone", "s3cmd")

// networkWords are the subcommands of programs that bring text from outside.
var networkWords = map[string]map[string]bool{
	"git": set("fetch", "pull", "clone", "ls-remote", "submodule", "remote"), "npm": set("view", "search", "info", "audit", "install", "ci", "outdated"), "pip": set("download", "search", "index", "install"),
	"pip3": set("download", "search", "index", "install"), "go": set("get", "install"), "cargo": set("search", "install"), "brew": set("search", "info", "install"), "apt": set("show", "search", "install", "update"),
	"docker": set("pull", "search", "run"), "podman": set("pull", "search", "run"),
}

// networked is the first command of a line that brings text from outside.
func (a *Analysis) networked() *Command {
	for i := range a.Commands {
		c := &a.Commands[i]
		word := ""
		if operand := targets(c.args[min(1, len(c.args)):]); len(operand) > 0 {
			word = operand[0].text
		}
		fed := slices.ContainsFunc(c.Reads, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") || strings.HasPrefix(f, "/dev/udp/") })
		if networkPrograms[c.Name()] || networkWords[c.Name()][word] || fed {
			return c
		}
	}
	return nil
}

// reach says whether a line may send data out: all but what is known to stay on
// this machine may.
func (a *Analysis) reach() string {
	if a.Unknown {
		return "it runs a command that cannot be told before it runs, and may send data out"
	}
	if c := a.networked(); c != nil {
		return c.Name() + " may send data out"
	}
	for i := range a.Commands {
		c := &a.Commands[i]
		gitLocal := c.Name() == "git" && len(c.args) > 1 && slices.Contains([]string{"add", "commit", "checkout", "switch", "restore", "merge", "rebase", "stash", "tag", "branch", "rm", "mv", "init", "reset"}, c.args[1].text)
		if c.harm() != "" && !localPrograms[c.Name()] && !gitLocal || c.root {
			return c.Name() + " may send data out"
		}
		if slices.ContainsFunc(c.Writes, func(w string) bool { return strings.HasPrefix(w, "/dev/tcp/") || strings.HasPrefix(w, "/dev/udp/") }) {
			return "it writes to the network"
		}
	}
	return ""
}
