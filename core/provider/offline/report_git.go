package offline

import (
	"fmt"
	"strings"
)

// tellGit says what git said.
func tellGit(command string, a map[string]any, text string) string {
	switch {
	case command == "status":
		return tellStatus(text)
	case command == "diff" && hasArg(a, "--stat"):
		if strings.TrimSpace(text) == "" || !strings.Contains(text, "|") {
			return ""
		}
		return tellBlock("", "", text)
	case command == "diff":
		if !strings.Contains(text, "@@") {
			return tellPlain("Nothing differs.", text)
		}
		return tellBlock("", "diff", text)
	case command == "log":
		return tellBlock("There are no commits.", "", text)
	case command == "branch":
		return tellBlock("There are no branches yet.", "", text)
	case command == "show":
		return tellBlock("", "diff", text)
	}
	return tellBlock("Git had nothing to say.", "", text)
}

// tellPlain is a sentence when there is no output, else the output.
func tellPlain(empty, text string) string {
	if strings.TrimSpace(text) == "" || strings.HasPrefix(strings.TrimSpace(text), "(") {
		return empty
	}
	return tellBlock(empty, "", text)
}

func hasArg(a map[string]any, want string) bool {
	list, _ := a["args"].([]any)
	for _, one := range list {
		if one == want {
			return true
		}
	}
	return false
}

// states are the letters of a short status, in words, in the order they are
// told in.
var states = []struct{ letter, word string }{
	{"U", "in conflict"}, {"M", "changed"}, {"A", "added"}, {"D", "deleted"}, {"R", "renamed"}, {"C", "copied"}, {"T", "changed in kind"}, {"?", "new, not in git yet"},
}

// tellStatus puts git's short status into words.
func tellStatus(text string) string {
	branch := ""
	byWord := map[string][]string{}
	staged, total := 0, 0
	var rest []string
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		switch word, path, isStaged, ok := statusLine(l); {
		case strings.HasPrefix(l, "## "):
			branch = tellBranch(l[3:])
		case ok:
			byWord[word] = append(byWord[word], path)
			total++
			if isStaged {
				staged++
			}
		case strings.TrimSpace(l) != "":
			rest = append(rest, l)
		}
	}
	if branch == "" && total == 0 && len(rest) > 0 {
		return tellBlock("", "", text) // not the form that was asked for
	}
	if total == 0 {
		return strings.TrimSpace(branch + " Nothing has changed since the last commit.")
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(branch+" "+many(total, "file")+" changed:") + "\n")
	for _, s := range states {
		if paths := byWord[s.word]; len(paths) > 0 {
			b.WriteString("\n- " + s.word + ": " + listPaths(paths))
		}
	}
	switch {
	case staged == total:
		b.WriteString("\n\nAll of it is staged for the next commit.")
	case staged > 0:
		b.WriteString("\n\n" + many(staged, "file") + " staged for the next commit.")
	}
	return b.String()
}

// statusLine reads "XY path" and "XY old -> new".
func statusLine(l string) (word, path string, staged, ok bool) {
	if len(l) < 4 || l[2] != ' ' || !strings.Contains(" MADRCUT?!", l[:1]) || !strings.Contains(" MADRCUT?!", l[1:2]) {
		return "", "", false, false
	}
	code := l[:2]
	if code == "AA" || code == "DD" {
		code = "U"
	}
	for _, s := range states {
		if strings.Contains(code, s.letter) {
			return s.word, strings.Trim(l[3:], `"`), l[0] != ' ' && l[0] != '?' && s.letter != "U", true
		}
	}
	return "", "", false, false
}

// tellBranch reads "main...origin/main [ahead 1, behind 2]".
func tellBranch(s string) string {
	s, note, _ := strings.Cut(s, " [")
	name, upstream, _ := strings.Cut(s, "...")
	if fresh, ok := strings.CutPrefix(name, "No commits yet on "); ok {
		return "On branch `" + fresh + "`, which has no commit yet."
	}
	if strings.HasPrefix(name, "HEAD (no branch)") {
		return "On no branch (a detached commit)."
	}
	out := "On branch `" + name + "`"
	if note = strings.TrimSuffix(note, "]"); note != "" && upstream != "" {
		out += ", " + note + " of `" + upstream + "`"
	}
	return out + "."
}

func listPaths(paths []string) string {
	const most = 12
	out := "`" + strings.Join(paths[:min(len(paths), most)], "`, `") + "`"
	if len(paths) > most {
		out += fmt.Sprintf(" and %d more", len(paths)-most)
	}
	return out
}

// tellGitWrite says what was done; staging says nothing of its own.
func tellGitWrite(command, text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || strings.HasPrefix(text, "("):
		return map[string]string{"add": "Everything is staged.", "stash": "The changes are stashed; `git stash pop` brings them back."}[command]
	case command == "commit":
		return "Committed.\n\n" + tellBlock("", "", text)
	}
	return tellBlock("", "", text)
}
