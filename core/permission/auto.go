package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// safe are the tools that run without asking in every mode: they only look, or
// do no more than talk to the person.
var safe = set("file_read", "list_dir", "glob_search", "content_search", "git_read", "web_search", "web_fetch", "skill_list", "skill_view", "notify", "sessions_yield",
	"sessions_history", "todo_write", "ask_user", "tool_help", "tool_search", "tool_describe", "tool_call", "tool_result_recall", "memory_recall", "memory_sources_list", "check_budget",
	"list_jobs", "list_job_runs", "get_job_run")

// edits are the tools that accept_edits adds.
var edits = set("file_write", "file_edit", "file_undo")

// byMode reports whether the mode lets a call through by itself, and else why
// a person is asked.
func (s *subject) byMode(m Mode) (ok bool, why string) {
	if m == AcceptEdits || m == Auto {
		if edits[s.tool.Name] {
			return s.editsInside()
		}
	}
	if m != Auto {
		return false, s.whyAsk()
	}
	if s.line != nil {
		return s.harmlessLine()
	}
	return s.autoTool()
}

// whyAsk says in a sentence what makes the call one that is asked about.
func (s *subject) whyAsk() string {
	switch {
	case s.line != nil && s.line.Unknown:
		return "It runs a command that cannot be told before it runs: " + Escape(first(s.line.Reasons)) + "."
	case s.line != nil:
		return "It runs a command on this computer."
	case s.effect() == capability.EffectSend:
		return "It sends something to " + s.pageHost() + "."
	case s.tool.Class == capability.GUIControl:
		return "It uses the mouse, the keyboard or a program on the screen."
	case s.tool.Kind == capability.KindMCP:
		return "It uses a tool from a connected server."
	case s.tool.Class == capability.Network, s.tool.Class == capability.ExternalAPI:
		return "It reaches a service on the network."
	case s.tool.Class == capability.ReadWrite:
		return "It changes something on this computer."
	}
	return "This tool is not one of those that run without asking."
}

// startFiles are names inside a project that programs act on by themselves.
var startFiles = set(".git", ".hg", ".svn", ".envrc", ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".vscode", ".idea",
	".husky", ".gitconfig", ".gitmodules", ".mcp.json", ".direnv", "autostart", "launchagents", "systemd", ".xprofile", ".xsessionrc", ".config")

// editsInside lets through changes of files that lie inside the roots and are
// not ones that programs run by themselves.
func (s *subject) editsInside() (ok bool, why string) {
	if len(s.preview.Paths) == 0 {
		return false, "It is not known which file it changes."
	}
	for _, use := range s.preview.Paths {
		if _, err := s.policy.Try(s.call.Turn, use.Path, sandbox.Write); err != nil {
			return false, "It changes a file outside your folders: " + Escape(use.Path) + "."
		}
		root := ""
		for _, r := range s.floor.allowed() {
			if strings.HasPrefix(use.Path, r) && len(r) > len(root) {
				root = r
			}
		}
		for part := range strings.SplitSeq(filepath.ToSlash(strings.TrimPrefix(use.Path, root)), "/") {
			if startFiles[strings.ToLower(part)] {
				return false, "It changes " + Escape(use.Path) + ", which other programs act on by themselves."
			}
		}
	}
	return true, ""
}

// harmlessLine lets through lines that only read, and only where the agent may.
func (s *subject) harmlessLine() (ok bool, why string) {
	if ok, why := s.line.harmless(); !ok {
		return false, "Auto mode asks here: " + Escape(why) + "."
	}
	for i := range s.line.Commands {
		c := &s.line.Commands[i]
		if c.Dirs == nil && !textOnly[c.args[0].text] {
			return false, "It reads in a folder that is not known before it runs."
		}
		for _, place := range s.reads(c) {
			if _, err := s.policy.Try(s.call.Turn, place, sandbox.Read); err != nil {
				return false, "It reads outside your folders: " + Escape(place) + "."
			}
		}
	}
	return true, ""
}

// textOnly are commands whose words are no files.
var textOnly = set("echo", "printf", ":", "true", "false", "which", "type", "date", "seq", "sleep", "basename", "dirname", "command", "set", "exit", "return", "uname", "id", "go", "factor")

// patternFirst are commands whose first operand is a pattern or a program.
var patternFirst = set("sed", "awk", "gawk", "mawk", "grep", "egrep", "fgrep", "zgrep", "rg", "jq")

// reads are the places that a command that only reads would look at.
func (s *subject) reads(c *Command) []string {
	out := slices.DeleteFunc(slices.Clone(c.Reads), isSink)
	if len(c.args) == 0 || textOnly[c.args[0].text] {
		return out
	}
	if name := c.args[0].text; name == "test" || name == "[" {
		return append(out, s.tested(c)...)
	}
	out = append(out, c.Dirs...) // without a file named, many look at the folder they are in
	for _, word := range fileWords(c.args[0].text, c.args[1:]) {
		if word.text == sideFile {
			continue
		}
		for _, place := range s.floor.places(c, word) {
			fixed, _ := splitPattern(place, word.glob)
			if !isSink(fixed) {
				out = append(out, fixed)
			}
		}
	}
	return out
}

// tested are the places that test looks at: the words after -f and its like.
// The others are texts and numbers.
func (s *subject) tested(c *Command) []string {
	var out []string
	for i, a := range c.args {
		if before := max(0, i-1); i > 0 && len(c.args[before].text) == 2 && strings.ContainsAny(c.args[before].text[1:], "abcdefghGkLNOprsStuwx") && c.args[before].text[0] == '-' {
			out = append(out, s.floor.places(c, a)...)
		}
	}
	return out
}

// fileWords are the words of a command that may name a file.
func fileWords(name string, args []arg) []arg {
	var out []arg
	skipFirst := patternFirst[name] && !slices.ContainsFunc(args, takesPattern)
	for i, a := range args {
		before := ""
		if i > 0 {
			before = args[i-1].text
		}
		switch {
		case patternFirst[name] && (before == "-e" || before == "--regexp" || before == "--expression"):
		case strings.HasSuffix(name, "find") && findNarrows[before]:
		case strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			if _, value, ok := strings.Cut(a.text, "="); ok {
				a.text = value
				out = append(out, a)
			} else if i := strings.IndexAny(a.text, "/~"); i > 0 { // -f/etc/x
				a.text = a.text[i:]
				out = append(out, a)
			}
		case skipFirst:
			skipFirst = false
		default:
			out = append(out, a)
		}
	}
	return out
}

// takesPattern reports whether an option says where the pattern comes from, or
// that there is none, so that the first operand is a file.
func takesPattern(a arg) bool {
	long := strings.HasPrefix(a.text, "--")
	return long && (strings.HasPrefix(a.text, "--reg") || strings.HasPrefix(a.text, "--exp") || strings.HasPrefix(a.text, "--fi")) ||
		!long && strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text, "ef")
}

// autoTool judges a tool that runs no command line. Only our own tools' word
// counts; what a connected server says of its tools informs, and grants nothing.
func (s *subject) autoTool() (ok bool, why string) {
	h := s.tool.Hints
	switch {
	case s.tool.Kind != capability.KindBuiltin:
		return false, s.whyAsk()
	case s.preview.Destructive, h.Destructive == capability.Yes:
		return false, "It may lose something that cannot be brought back."
	case s.tool.Class != capability.ReadOnly && s.tool.Class != capability.ReadWrite:
		return false, s.whyAsk()
	case h.OpenWorld == capability.Yes && s.tool.Class != capability.ReadOnly:
		return false, "It reaches outside this computer."
	}
	for _, use := range s.preview.Paths {
		as := sandbox.Read
		if use.Write {
			as = sandbox.Write
		}
		if _, err := s.policy.Try(s.call.Turn, use.Path, as); err != nil {
			return false, "It touches a file outside your folders: " + Escape(use.Path) + "."
		}
	}
	return true, ""
}
