package offline

import "strings"

func changeForms() []*form {
	replace := func(all bool) func(c captures) (intent, bool) {
		return func(c captures) (intent, bool) { return edit(c, all) }
	}
	return []*form{
		{say: "replace|change|substitute|swap all|every|each [occurrence_of|occurrences_of|the|of] {old*} with|by|to|into|for [the] {new*} in|inside|of [the|my] [file] {path}", make: replace(true)},
		{say: "replace|change|substitute|swap {old*} with|by|to|into|for {new*} everywhere in|inside|of [the|my] [file] {path}", make: replace(true)},
		{say: "replace|change|substitute|swap [the] [word|text|string|line] {old*} with|by|to|into|for [the] [word|text|string] {new*} in|inside|of [the|my] [file] {path} everywhere", make: replace(true)},
		{say: "replace|change|substitute|swap [the] [word|text|string|line] {old*} with|by|to|into|for [the] [word|text|string] {new*} in|inside|of [the|my] [file] {path}", make: replace(false)},
		{say: "in [the] [file] {path} replace|change [the] [word|text|string] {old*} with|by|to [the] {new*}", make: replace(false)},
		{say: "delete|remove [the] [word|text|line|string] {gone} from|in [the|my] [file] {path}", make: func(c captures) (intent, bool) {
			if !c.quoted["gone"] || !c.aPath(false) {
				return no()
			}
			return edit(c.with("old", c.get("gone")).with("new", ""), false)
		}},
		{say: "replace|change|substitute [the] [word|text|string] {old*} with|by|to {new*}", make: func(c captures) (intent, bool) {
			if !c.quoted["old"] || !c.has("path") && !c.quoted["new"] {
				return no()
			}
			return edit(c, false)
		}},
		{say: "replace|replace_text [something|text|a_word] [in [the] [file] {path}]", make: replace(false)},
		{say: "ersetze|ersetz [alle] {old*} durch|mit {new*} in [der] [datei] {path}", make: replace(false)},
	}
}

// edit changes a place of a file.
func edit(c captures, all bool) (intent, bool) {
	switch {
	case !c.has("old"):
		return ask("file_edit", "old", "Which text should be replaced? It must be just as it stands in the file.")
	case !c.has("new"):
		return ask("file_edit", "new", "What should stand there instead?")
	case !c.has("path"):
		return ask("file_edit", "path", whichFile)
	case !c.aPath(false) || c.get("old") == "":
		return no()
	}
	a := args{"path": c.get("path"), "old_string": c.get("old"), "new_string": c.get("new")}
	if all {
		a["replace_all"] = true
	}
	return one("file_edit", a)
}

func writeForms() []*form {
	return []*form{
		{say: "create|make|write [me] [an|the] empty file [named|called] {path}", make: func(c captures) (intent, bool) {
			return writeFile(c.with("content", ""))
		}},
		{say: "write|create|make|save [me] [a|the] [new] [file] [named|called] {path} with|containing|saying [the] [content|contents|text|words] {content*}", make: writeFile},
		{say: "create|make [me] [a|the] [new] file [named|called] {path}", make: writeFile},
		{say: "write|save|put [the] [text|words] {content*} to|into|in|as|under [a|the] [new] [file] [named|called] {path}", make: func(c captures) (intent, bool) {
			if !c.quoted["content"] && !c.aPath(true) {
				return no()
			}
			return writeFile(c)
		}},
		{say: "write|create|make [me] [a|the] [new] [file] {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return writeFile(c)
		}},
		{say: "write|create|make|save [a|the] [new] file", make: writeFile},
		{say: "schreibe|schreib {content*} in|nach [die] [neue] [datei] {path}", make: writeFile},
	}
}

// writeFile writes a whole file. A text ends with a line end.
func writeFile(c captures) (intent, bool) {
	switch {
	case !c.has("path"):
		return ask("file_write", "path", "What should the file be called?")
	case !c.aPath(false):
		return no()
	case !c.has("content"):
		return ask("file_write", "content", "What should stand in it?")
	}
	content := c.get("content")
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return one("file_write", args{"path": c.get("path"), "content": content})
}

func undoForms() []*form {
	last := func(captures) (intent, bool) { return one("file_undo", nil) }
	return []*form{
		{say: "undo [that|it|this|the_last_change|the_change|your_last_change|last_change|the_edit|the_last_edit]", make: last},
		{say: "take [that|it|this] back", make: last},
		{say: "take_back [that|it|the_last_change|the_change]", make: last},
		{say: "bring [it|that|the_file] back", make: last},
		{say: "rückgängig [machen]", make: last},
		{say: "mach|mache [das|es|die_letzte_änderung] [wieder] rückgängig", make: last},
		{say: "undo|revert|take_back [the] change {id}", make: func(c captures) (intent, bool) {
			if pathLike(c.get("id")) {
				return no()
			}
			return one("file_undo", args{"id": c.get("id")})
		}},
		{say: "undo|revert|restore|take_back [the|my|your] [last] [change|changes|edit|edits] [to|in|of|on] [the] [file] {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return one("file_undo", args{"path": c.get("path")})
		}},
	}
}
