package offline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// report says what came of the calls. The last step is told; of earlier ones
// only what it does not say itself.
func report(t *talk) string {
	var parts []string
	for i, step := range t.done {
		for _, r := range step {
			if r.result.Failed && i < len(t.done)-1 {
				continue // another way was taken
			}
			if text := strings.TrimSpace(tell(r)); text != "" {
				parts = append(parts, text)
			}
		}
	}
	if len(parts) == 0 {
		return "Done."
	}
	return strings.Join(parts, "\n\n")
}

// tell says what came of one call.
func tell(r ran) string {
	text := unframe(r.result.Text)
	if r.result.Failed {
		return tellFailure(r)
	}
	var a map[string]any
	if json.Unmarshal([]byte(r.call.Args), &a) != nil {
		a = nil
	}
	switch r.call.Name {
	case "file_read":
		return tellRead(str(a, "path"), text, len(r.result.Images))
	case "content_search":
		return tellSearch(a, text)
	case "glob_search":
		return tellFound(text)
	case "list_dir":
		return tellList(text)
	case "file_write", "file_edit", "file_undo":
		return tellChange(text)
	case "git_read":
		return tellGit(str(a, "command"), a, text)
	case "git_write":
		return tellGitWrite(str(a, "command"), text)
	case "shell", "shell_output", "shell_kill":
		return tellShell(text)
	case "web_fetch":
		return tellPage(str(a, "url"), text)
	case "tool_help", "todo_write": // Markdown as it is
		return text
	}
	return tellAny(text)
}

func str(a map[string]any, key string) string {
	s, _ := a[key].(string)
	return s
}

// A failure is what a failed call's text says.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Try     string `json:"try"`
	Details struct {
		Closest []string `json:"closest"`
		Grant   string   `json:"grant"`
	} `json:"details"`
}

func failureOf(text string) failure {
	var f struct {
		Error failure `json:"error"`
	}
	line, _, _ := strings.Cut(text, "\n")
	if json.Unmarshal([]byte(line), &f) != nil || f.Error.Message == "" {
		return failure{Message: strings.TrimSpace(text)}
	}
	return f.Error
}

// tellFailure says what went wrong and what to say instead.
func tellFailure(r ran) string {
	f := failureOf(unframe(r.result.Text))
	if f.Code == "denied" {
		return "That was not allowed, so nothing was done: " + sentence(f.Message)
	}
	out := "That did not work: " + sentence(oneLine(f.Message))
	if try := advice(r, f); try != "" {
		out += "\n\n" + try
	}
	return out
}

// advice puts what a tool advises a model into the words of a person; what is
// not known here is passed on.
func advice(r ran, f failure) string {
	path := pathOf(r.call.Args)
	if len(f.Details.Closest) > 0 {
		return "Did you mean `" + strings.Join(f.Details.Closest, "`, `") + "`?"
	}
	switch r.call.Name + " " + f.Code {
	case "file_edit not_unique":
		return "To replace all of them, say: `replace every \"…\" with \"…\" in " + path + "`. For one of them, quote more of its line."
	case "file_edit not_found":
		return "Say `read " + path + "` to see the text as it stands."
	case "file_edit stale":
		return "Say `read " + path + "` to see it as it is now, then ask again."
	case "file_read is_folder":
		return "Say `list " + path + "/` to see what is in it."
	}
	if f.Code == "outside_root" {
		if f.Details.Grant != "" {
			path = f.Details.Grant
		}
		return "To let me in, say `ask for access to " + quoteName(path) + "`, or run `hobkin grant " + quoteName(path) + "`."
	}
	if f.Try == "" {
		return ""
	}
	return "What helps: " + sentence(f.Try)
}

func pathOf(raw string) string {
	var a map[string]any
	if json.Unmarshal([]byte(raw), &a) != nil {
		return "…"
	}
	if p := str(a, "path"); p != "" {
		return p
	}
	return "…"
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}

func oneLine(s string) string { return cutRunes(strings.Join(strings.Fields(s), " "), 500) }

// unframe takes the frame off a text from outside. It is shown to a person,
// and there is no model here that could obey it.
func unframe(text string) string {
	if !strings.HasPrefix(text, "<untrusted id=") {
		return text
	}
	_, rest, ok := strings.Cut(text, "\n")
	if !ok {
		return text
	}
	_, rest, _ = strings.Cut(rest, "\n")
	if i := strings.LastIndex(rest, "\n</untrusted id="); i >= 0 {
		return rest[:i]
	}
	return rest
}

// block is a code block that its text cannot close.
func block(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

const (
	mostLines = 200
	mostBytes = 16 << 10
)

// head is the first lines of a text, and how many are left out.
func head(text string, most int) (shown string, left int) {
	lines := strings.SplitAfter(strings.TrimRight(text, "\n"), "\n")
	size := 0
	for i, l := range lines {
		if size += len(l); i >= most || size > mostBytes && i > 0 {
			return strings.Join(lines[:i], ""), len(lines) - i
		}
	}
	if len(text) > mostBytes { // one endless line
		return cutRunes(text, mostBytes/4) + " …", 0
	}
	return strings.Join(lines, ""), 0
}

// tellRead shows a file in a block, without the numbers of its lines.
func tellRead(path, text string, images int) string {
	var body strings.Builder
	var notes []string
	last, first, lines := 0, 0, 0
	for l := range strings.Lines(text) {
		n, line, ok := numbered(l)
		if !ok {
			notes = append(notes, goOn(strings.Trim(strings.TrimSpace(l), "()"), path))
			continue
		}
		if first == 0 {
			first = n
		}
		lines++
		if lines > mostLines || body.Len() > mostBytes {
			continue
		}
		last = n
		body.WriteString(line)
	}
	if lines == 0 {
		return strings.TrimSpace("`" + path + "`: " + tellAny(text) + pictures(images))
	}
	if left := lines - (last - first + 1); left > 0 {
		notes = append([]string{fmt.Sprintf("%d more lines; say `read lines %d-%d of %s`", left, last+1, last+mostLines, quoteName(path))}, notes...)
	}
	out := "`" + path + "`:\n\n" + block(strings.ToLower(extension(path)), body.String())
	if len(notes) > 0 {
		out += "\n\n" + strings.Join(notes, ". ") + "."
	}
	return out + pictures(images)
}

// goOn puts "go on with offset 6" into words that can be said here.
func goOn(note, path string) string {
	head, num, ok := strings.Cut(note, "; go on with offset ")
	n, err := strconv.Atoi(num)
	if !ok || err != nil {
		return note
	}
	return fmt.Sprintf("%s; say `read lines %d-%d of %s` to go on", head, n, n+mostLines-1, quoteName(path))
}

func pictures(n int) string {
	if n == 0 {
		return ""
	}
	return "\n\nThe picture is shown with the call. I cannot look at pictures."
}

func quoteName(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}

// numbered takes the number off a line: blanks, digits, a tab.
func numbered(l string) (n int, line string, ok bool) {
	num, line, ok := strings.Cut(l, "\t")
	if !ok {
		return 0, "", false
	}
	n, err := strconv.Atoi(strings.TrimSpace(num))
	return n, line, err == nil
}

// tellSearch lists the places that were found.
func tellSearch(a map[string]any, text string) string {
	if strings.HasPrefix(text, "Nothing under") {
		return "I found no `" + str(a, "pattern") + "`. " + sentence(text)
	}
	hits, files := 0, 0
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, " "):
			if num, _, ok := strings.Cut(strings.TrimSpace(l), ":"); ok {
				if _, err := strconv.Atoi(num); err == nil {
					hits++
				}
			}
		case strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "("):
			files++
		}
	}
	shown, left := head(text, mostLines)
	out := fmt.Sprintf("%s of `%s` in %s:", many(hits, "place"), str(a, "pattern"), many(files, "file"))
	if hits == 0 {
		out = fmt.Sprintf("`%s` is in %s:", str(a, "pattern"), many(files, "file"))
	}
	return out + "\n\n" + block("", shown) + leftOut(left)
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func leftOut(n int) string {
	if n == 0 {
		return ""
	}
	return "\n\n… and " + many(n, "more line") + "."
}

// tellFound lists files.
func tellFound(text string) string {
	if strings.HasPrefix(text, "Nothing under") {
		return sentence(text)
	}
	var names, notes []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case l == "":
		case strings.HasPrefix(l, "("):
			notes = append(notes, l)
		default:
			names = append(names, "- `"+l+"`")
		}
	}
	const most = 50
	out := many(len(names), "file") + ":\n\n" + strings.Join(names[:min(len(names), most)], "\n")
	if len(names) > most {
		out += fmt.Sprintf("\n- … and %d more", len(names)-most)
	}
	return strings.TrimSpace(out + "\n\n" + strings.Join(notes, "\n"))
}

// tellList shows a folder.
func tellList(text string) string {
	title, rest, _ := strings.Cut(text, "\n")
	shown, left := head(rest, mostLines)
	if strings.TrimSpace(shown) == "" {
		return sentence(title)
	}
	return title + "\n\n" + block("", shown) + leftOut(left)
}

// tellChange is the tool's own sentence, with the way back in a person's words.
func tellChange(text string) string {
	text = strings.TrimSpace(text)
	if first, rest, ok := strings.Cut(text, ", file_undo takes it back."); ok {
		if i := strings.LastIndex(first, " Change "); i >= 0 {
			first = first[:i]
		}
		text = strings.TrimSpace(first) + " Say `undo` to take it back." + rest
	}
	return text
}

// tellBlock shows output in a block behind a word, or as the sentence it is.
func tellBlock(word, lang, text string) string {
	text = strings.TrimRight(text, "\n")
	if strings.TrimSpace(text) == "" {
		return word
	}
	shown, left := head(text, mostLines)
	return block(lang, shown) + leftOut(left)
}

// tellPage quotes a page: what it says is not said by this program.
func tellPage(url, text string) string {
	shown, left := head(strings.TrimSpace(text), 60)
	var b strings.Builder
	fmt.Fprintf(&b, "%s says:\n\n", url)
	for l := range strings.Lines(shown) {
		b.WriteString("> " + l)
	}
	return strings.TrimRight(b.String(), "\n") + leftOut(left)
}

// tellAny passes a short text on, and puts a long one into a block.
func tellAny(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") && len(text) < 500 {
		return sentence(text)
	}
	shown, left := head(text, mostLines)
	return block("", shown) + leftOut(left)
}
