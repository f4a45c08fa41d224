package offline

import (
	"strings"
	"unicode"
)

func shellForms() []*form {
	run := func(background bool) func(c captures) (intent, bool) {
		return func(c captures) (intent, bool) {
			command := strings.TrimSpace(c.raw["command"])
			switch {
			case !c.has("command"):
				return ask("shell", "command", "Which command?")
			case command == "" || strings.EqualFold(command, "it"):
				return no()
			case background:
				return one("shell", args{"command": command, "background": true})
			}
			return one("shell", args{"command": command})
		}
	}
	id := func(tool string) func(c captures) (intent, bool) {
		return func(c captures) (intent, bool) {
			if !c.has("id") {
				return ask(tool, "id", "Which command? Its id was in the answer when it was started.")
			}
			return one(tool, args{"id": c.get("id")})
		}
	}
	return []*form{
		{say: "run|execute [a|the|some] [command]", make: run(false)},
		{say: "run|execute|start|launch [the] [command|shell_command] {command*} in [the] background", make: run(true)},
		{say: "run|execute [the] [command|shell_command|following_command] {command*}", make: run(false)},
		{say: "führe|führ {command*} aus", make: run(false)},
		{say: "stop|kill|end [the] [background] command|process|job [number|id] {id}", make: id("shell_kill")},
		{say: "output|show_the_output|what_is_the_output|what_does of|command|process [the] [command|process] {id} [say]", make: id("shell_output")},
	}
}

func notifyForms() []*form {
	return []*form{
		{say: "notify|alert me [that|with|about|saying] {text*}", make: notify},
		{say: "send [me] [a|the] [desktop] notification [that|with|about|saying] [the] [text] {text*}", make: notify},
		{say: "notify|alert me", make: notify},
		{say: "send [me] [a] [desktop] notification", make: notify},
	}
}

func notify(c captures) (intent, bool) {
	if !c.has("text") {
		return ask("notify", "text", "What should the notification say?")
	}
	return one("notify", args{"title": upperFirst(c.get("text"))})
}

func upperFirst(s string) string {
	for i, c := range s {
		return string(unicode.ToUpper(c)) + s[i+len(string(c)):]
	}
	return s
}

func webForms() []*form {
	const what = "[the] [page|site|website|url|address]"
	fetch := func(c captures) (intent, bool) {
		url, ok := address(c.get("url"))
		if !ok {
			return no()
		}
		return one("web_fetch", args{"url": url})
	}
	query := func(c captures) (intent, bool) {
		if !c.has("query") {
			return ask("web_search", "query", "What should I search the web for?")
		}
		return one("web_search", args{"query": c.get("query")})
	}
	return []*form{
		{say: "open|fetch|read|get|load|download|visit|go_to|browse|browse_to|show|show_me|look_at|check|öffne " + what + " {url}", make: fetch},
		{say: "what_does|what's_on|what_is_on " + what + " {url} [say]", make: fetch},
		{say: "fetch|open|load|visit [a|the|some] web_page|page|website|site|url", make: func(c captures) (intent, bool) {
			if !c.has("url") {
				return ask("web_fetch", "url", "Which address?")
			}
			return fetch(c)
		}},
		{say: "summarise|summarize|summary_of " + what + " {url}", make: func(c captures) (intent, bool) {
			in, ok := fetch(c)
			if ok {
				in.steps[0][0].args["prompt"] = "Summarise this page."
			}
			return in, ok
		}},
		{say: "search|look [on|in] [the] web|internet|online [for] {query*}", make: query},
		{say: "web_search|websearch|google|duckduckgo [for] {query*}", make: query},
		{say: "search|look|look_up|find [for] {query*} on|in [the] web|internet", make: query},
		{say: "search|look_up|find [for] {query*} online", make: query},
		{say: "search [the] web|internet|online", make: query},
		{say: "suche|such im internet|netz|web nach {query*}", make: query},
	}
}
