package offline

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	whichFile   = "Which file?"
	whichFolder = "Which folder?"
)

// vague are words that stand for something said before; they name no file.
var vague = strings.Fields("it this that them these those me us more on all everything something anything file folder the a out through about your you my")

// aPath reports whether the slot path can be one. Sure ones look like it or stand
// in quotes; others are any single word that names something.
func (c captures) aPath(sure bool) bool {
	v, quoted := c.get("path"), c.quoted["path"]
	if _, web := address(v); web && !quoted || v == "" {
		return false
	}
	return quoted || pathLike(v) || !sure && !slices.Contains(vague, strings.ToLower(v))
}

func readForms() []*form {
	read := func(sure bool) func(c captures) (intent, bool) {
		return func(c captures) (intent, bool) {
			if !c.has("path") {
				return ask("file_read", "path", whichFile)
			}
			if !c.aPath(sure) {
				return no()
			}
			return one("file_read", args{"path": c.get("path")})
		}
	}
	return []*form{
		{say: "read|show|print|view|open [me] [lines|line] {a} [to|until|through|- {b}] of|in|from [the] [file] {path}", make: readLines},
		{say: "read|show [me] [the] first|top {n} lines of|in|from [the] [file] {path}", make: readFirst},
		{say: "read|cat|type [file|the_file|my_file|me_the_file|the_contents_of|contents_of] {path}", make: read(false)},
		{say: "read|show|open|display|print|view|see|look_at|check [me] [the|my] [file|contents_of|content_of|contents_of_the_file|text_of] [the] [file] {path}", make: read(true)},
		{say: "what_does|what's_in|what_is_in|what_stands_in|what's_inside|what_is_inside [the] [file] {path} [say|contain|look_like]", make: whatIsIn},
		{say: "read|cat|show|open|display|view [me] [a|the|my] [file]", make: read(false)},
		{say: "lies|zeige|zeig|öffne [mir] [die] [datei] {path}", make: read(true)},
	}
}

// readLines: "10-20", "10 to 20", "10".
func readLines(c captures) (intent, bool) {
	from, to, pair := strings.Cut(c.get("a"), "-")
	if !pair {
		to = c.get("b")
	}
	a, err := strconv.Atoi(from)
	if err != nil || a < 1 || !c.aPath(false) {
		return no()
	}
	n := 1
	if to != "" {
		b, err := strconv.Atoi(to)
		if err != nil || b < a {
			return no()
		}
		n = b - a + 1
	}
	return one("file_read", args{"path": c.get("path"), "offset": a, "limit": n})
}

func readFirst(c captures) (intent, bool) {
	n, err := strconv.Atoi(c.get("n"))
	if err != nil || n < 1 || !c.aPath(false) {
		return no()
	}
	return one("file_read", args{"path": c.get("path"), "limit": n})
}

// whatIsIn reads what has the looks of a file, and lists the rest.
func whatIsIn(c captures) (intent, bool) {
	path := c.get("path")
	switch {
	case !c.aPath(false):
		return no()
	case extension(path) == "" && !slices.Contains([]string{"makefile", "readme", "license", "dockerfile"}, strings.ToLower(path)):
		return one("list_dir", args{"path": path})
	}
	return one("file_read", args{"path": path})
}

func listForms() []*form {
	list := func(c captures) (intent, bool) {
		switch {
		case !c.has("path"):
			return one("list_dir", args{"path": "."})
		case !c.aPath(false):
			return no()
		}
		return one("list_dir", args{"path": c.get("path")})
	}
	named := func(c captures) (intent, bool) {
		if !c.has("path") {
			return ask("list_dir", "path", whichFolder)
		}
		return list(c)
	}
	here := func(captures) (intent, bool) { return one("list_dir", args{"path": "."}) }
	return []*form{
		{say: "ls|dir|ll|ls_-l|ls_-la|ls_-al [{path}]", make: list},
		{say: "list|show [me] [the|all|all_the] [files|contents|content|entries] [in|of|inside] [this|the|current|this_current] folder|directory|workspace|project", make: here},
		{say: "list|show [me] [the|all|all_the] files|contents|everything [here]", make: here},
		{say: "what_is|what's|what_files_are|what_do_we_have|what_is_there|which_files_are here|in_here|in_this_folder|in_the_folder|in_this_directory|there", make: here},
		{say: "list|show [me] [the|all|all_the|my] [files|contents|content|entries] in|of|inside|under [the|my] [folder|directory] {path} [folder|directory]", make: list},
		{say: "list|show|open [me] [the|my] folder|directory {path}", make: named},
		{say: "list|show [me] [the|my] {path} folder|directory", make: named},
		{say: "list {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return list(c)
		}},
		{say: "what_is|what's|what_files_are|which_files_are in|inside [the|my] folder|directory {path}", make: named},
		{say: "what_is|what's|what_files_are|which_files_are in|inside [the|my] {path} folder|directory", make: named},
		{say: "list [a|the|some] folder|directory", make: named},
		{say: "zeige|zeig|liste [mir] [den] ordner|verzeichnis [{path}]", make: list},
		{say: "was_ist|was_liegt|was_steht im|in [dem] ordner|verzeichnis {path}", make: list},
	}
}

func findForms() []*form {
	files := func(c captures) (intent, bool) { return findFiles(c, c.get("name")) }
	return []*form{
		{say: "find|list|show|search_for|look_for [me] [all] [the] files|file named|called|matching|like|that_match|with_the_name [the] [name] {name} [in|under|inside|below [the] [folder] {path}]", make: files},
		{say: "find|list|show|search_for [me] [all] [the] {ext} files [in|under|inside|below [the] [folder] {path}]", make: func(c captures) (intent, bool) {
			return findFiles(c, kindOfFile(c.get("ext")))
		}},
		{say: "where_is|where's|find|locate [the|a|my] [file] {name} [in|under|inside|below [the] [folder] {path}]", make: func(c captures) (intent, bool) {
			if !strings.ContainsAny(c.get("name"), "*?") && extension(c.get("name")) == "" || c.quoted["name"] && strings.Contains(c.get("name"), " ") {
				return no()
			}
			return files(c)
		}},
		{say: "find [all] [the] [a] files|file [named|called]", make: func(captures) (intent, bool) {
			return ask("glob_search", "name", "What is the file called? A pattern such as `*.go` will do.")
		}},
		{say: "finde|suche [alle] [die] [dateien|datei] {name} [in|unter {path}]", make: func(c captures) (intent, bool) {
			if !strings.ContainsAny(c.get("name"), "*?") {
				return no()
			}
			return files(c)
		}},
	}
}

// findFiles looks below a folder, at any depth unless the pattern says where.
func findFiles(c captures, name string) (intent, bool) {
	if name == "" || strings.ContainsAny(name, "\n") {
		return no()
	}
	if !strings.Contains(name, "/") {
		name = "**/" + name
	}
	a := args{"pattern": name}
	if p := c.get("path"); p != "" && !everywhere(p) {
		a["path"] = p
	}
	return one("glob_search", a)
}

// kindOfFile makes "go", ".go" or "markdown" a pattern.
func kindOfFile(kind string) string {
	low := strings.ToLower(strings.TrimPrefix(kind, "."))
	known := map[string]string{
		"python": "py", "markdown": "md", "javascript": "js", "typescript": "ts", "text": "txt", "golang": "go", "rust": "rs", "ruby": "rb", "html": "html",
		"image": "{png,jpg,jpeg,gif,webp}", "picture": "{png,jpg,jpeg,gif,webp}", "test": "", "yaml": "{yaml,yml}", "config": "",
	}
	ext, ok := known[low]
	if !ok && len(low) <= 5 && extension("x."+low) != "" && !slices.Contains(vague, low) {
		ext = low
	}
	if ext == "" {
		return ""
	}
	return "*." + ext
}

// everywhere are words for the whole workspace.
func everywhere(s string) bool {
	return slices.Contains([]string{"here", "this", "folder", "directory", "current", "everywhere", "project", "workspace", "code", "repo", "repository", "files", "all", "it", "them"}, strings.ToLower(s))
}

func searchForms() []*form {
	const in = "[in|under|inside|within|below [all|the|this|my|our] [whole|folder|directory|file|files_in] {path} [folder|directory|files]]"
	text := func(c captures) (intent, bool) { return search(c, nil) }
	only := func(output string) func(captures) (intent, bool) {
		return func(c captures) (intent, bool) { return search(c, args{"output": output}) }
	}
	return []*form{
		{say: "grep [-r|-n|-rn|-nr|-R|-Rn] {expr} [{path}]", make: grep},
		{say: "grep -i|-ri|-rin|-in|-rni {expr} [{path}]", make: func(c captures) (intent, bool) {
			in, ok := grep(c)
			if ok && len(in.steps) > 0 {
				in.steps[0][0].args["case"] = "insensitive"
			}
			return in, ok
		}},
		{say: "which|what files|file contain|contains|mention|mentions|use|uses|have|has [the] [word|text|string] {query*} " + in, make: only("files")},
		{say: "find|list|show [me] [all] [the] files that|which|with contain|containing|mention|use|have [the] [word|text|string] {query*} " + in, make: only("files")},
		{say: "find|list|show [me] [all] [the] files containing|mentioning|with [the] [word|text|string] {query*} " + in, make: only("files")},
		{say: "how_many_times|how_often|count [does|is|do] [the] [word|text] {query*} [occur|occurs|appear|appears|used] " + in, make: only("count")},
		{say: "where_is|where_are|who_uses|where_do_we_use|where_does [the] [word|text|function] {query} [used|mentioned|defined|appear|occur] " + in, make: text},
		{say: "search|look|grep in|inside|under|through [the|all] [folder|directory|files_in] {path} for [the] [word|text|string] {query*}", make: text},
		{say: "find|search|search_for|grep|grep_for|look_for|look_up [me] [all|every|the|any] [word|text|string|occurrences_of|uses_of|mentions_of|places_with] {query*} " + in, make: text},
		{say: "find|search|grep|look_for|search_for [something|text|a_word|a_text]", make: func(c captures) (intent, bool) {
			return search(c, nil)
		}},
		{say: "suche|such|finde [nach] [dem] [wort|text] {query*} [in|im|unter [ordner|verzeichnis|der_datei] {path}]", make: text},
	}
}

// search looks for a text as it stands; between slashes it is a pattern.
func search(c captures, more args) (intent, bool) {
	query := c.get("query")
	if !c.has("query") {
		return ask("content_search", "query", "What should I look for?")
	}
	if !c.sought() {
		return no()
	}
	a := args{"pattern": query}
	if n := len(query); n > 2 && query[0] == '/' && query[n-1] == '/' && !c.quoted["query"] {
		a["pattern"] = query[1 : n-1]
	} else if regexp.QuoteMeta(query) != query {
		a["regex"] = false
	}
	if p := c.get("path"); p != "" && !everywhere(p) {
		a["path"] = p
	}
	maps.Copy(a, more)
	return one("content_search", a)
}

// sought reports whether the query can be what is looked for, and not a word
// of the sentence.
func (c captures) sought() bool {
	query := strings.ToLower(c.get("query"))
	if query == "" || strings.Contains(query, "\n") {
		return false
	}
	return c.quoted["query"] || !strings.HasPrefix(query, "for ") && !slices.Contains(vague, query)
}

// grep takes its pattern as the program does, when it is one.
func grep(c captures) (intent, bool) {
	expr := c.raw["expr"]
	if strings.HasPrefix(expr, "-") && !c.quoted["expr"] || slices.Contains([]string{"for", "in"}, expr) || c.has("path") && slices.Contains([]string{"in", "for"}, c.get("path")) {
		return no()
	}
	a := args{"pattern": expr}
	if _, err := regexp.Compile(expr); err != nil {
		a["regex"] = false
	}
	if p := c.get("path"); p != "" && !everywhere(p) {
		a["path"] = p
	}
	return one("content_search", a)
}
