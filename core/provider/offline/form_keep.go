package offline

import (
	"slices"
	"strings"
	"unicode"
)

func memoryForms() []*form {
	recall := func(c captures) (intent, bool) {
		if q := c.get("query"); q != "" && !slices.Contains([]string{"me", "anything", "everything"}, strings.ToLower(q)) {
			return one("memory_recall", args{"search": q})
		}
		return one("memory_recall", nil)
	}
	return []*form{
		{say: "remember|memorise|memorize [something|this|that]", make: remember},
		{say: "remember|memorise|memorize|note|keep_in_mind|don't_forget|do_not_forget|merk_dir|merke_dir [that|this|the_following|dass] {fact*}", make: remember},
		{say: "what do you remember|know about {query*}", make: recall},
		{say: "what_do_you_remember|what_do_you_know|show_your_memory|show_me_your_memory|list_memories|list_your_memories|show_memories", make: recall},
		{say: "do you remember|know [anything|something] [about] {query*}", make: recall},
		{say: "recall [what_you_know_about] {query*}", make: recall},
		{say: "was weißt du über {query*}", make: recall},
	}
}

// remember stores a fact under a short key made of its words.
func remember(c captures) (intent, bool) {
	if !c.has("fact") {
		return ask("memory_store", "fact", "What should I remember?")
	}
	key := keyOf(c.get("fact"))
	if key == "" {
		return no()
	}
	return one("memory_store", args{"key": key, "value": c.get("fact")})
}

// keyOf is what a fact is about: the words before its verb, or its first ones.
func keyOf(fact string) string {
	words := strings.FieldsFunc(strings.ToLower(fact), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for i, w := range words {
		if i > 0 && i <= 5 && slices.Contains(strings.Fields("is are was were has have likes like prefers prefer means lives works ist sind heißt mag"), w) {
			words = words[:i]
			break
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool {
		return slices.Contains(strings.Fields("my the a an i our to mein meine der die das ich"), w)
	})
	if len(words) == 0 {
		words = strings.FieldsFunc(strings.ToLower(fact), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	}
	return cutRunes(strings.Join(words[:min(len(words), 5)], "-"), 60)
}

// cutRunes is the beginning of s, at most n characters of it.
func cutRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

func jobForms() []*form {
	return []*form{
		{say: "remind_me|remind every|each {when*} to|that|of|about {task*}", make: repeated},
		{say: "every|each {when+} remind|tell me [to|that|of|about] {task*}", make: repeated},
		{say: "remind me [to|that|of|about] {task*} every|each {when+}", make: repeated},
		{say: "remind me {when+} to|that|of|about {task*}", make: once},
		{say: "remind me [to|that|of|about] {task*} {when+}", make: once},
		{say: "{when+} remind me to|that|of|about {task*}", make: once},
		{say: "remind me to|that|of|about {task*}", make: once},
		{say: "set|create|make|add [me] [a] reminder [to|for] [{task*}]", make: once},
		{say: "remind me", make: once},
		{say: "every|each {when+} [please] {task*}", make: func(c captures) (intent, bool) {
			if verb, rest, _ := strings.Cut(strings.ToLower(c.get("task")), " "); rest == "" || !slices.Contains(deeds, verb) {
				return no()
			}
			return job(c, false, true)
		}},
		{say: "[list|show] [me] [my|all|the] jobs|reminders|scheduled_jobs|schedules", make: func(captures) (intent, bool) { return one("list_jobs", nil) }},
		{say: "what_is_scheduled|what's_scheduled|which_jobs_are_there|what_jobs_are_there|what_reminders_are_there", make: func(captures) (intent, bool) { return one("list_jobs", nil) }},
	}
}

// deeds are what a job that is no reminder begins with.
var deeds = strings.Fields("run execute check summarise summarize read search find look write tell send open fetch list show back clean commit report make create update compare collect download watch review print test build count")

func repeated(c captures) (intent, bool) { return job(c, true, true) }

func once(c captures) (intent, bool) { return job(c, true, false) }

// job makes a scheduled job of a task, or a reminder, which needs no model.
func job(c captures, reminder, every bool) (intent, bool) {
	const whenEx = "When? For example: tomorrow at 8, in 20 minutes, every weekday at 9."
	if !c.has("task") {
		return ask("schedule_job", "task", "What should I remind you of?")
	}
	if !c.has("when") {
		return ask("schedule_job", "when", whenEx)
	}
	when := strings.ToLower(c.get("when"))
	if rest, ok := strings.CutPrefix(when, "every "); ok { // as an answer to our question
		when, every = rest, true
	}
	schedule, ok := onceAt(when, c.now)
	if every {
		schedule, ok = everySo(when)
	}
	if !ok {
		return no()
	}
	task := c.get("task")
	a := args{"name": jobName(task), "schedule": schedule, "task": task}
	if reminder {
		a["reminder"] = true
	}
	return one("schedule_job", a)
}

func jobName(task string) string {
	words := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(strings.Fields("the a an my to of"), w) })
	if len(words) == 0 {
		return "reminder"
	}
	return cutRunes(strings.Join(words[:min(len(words), 5)], "-"), 60)
}

func planForms() []*form {
	return []*form{
		{say: "plan|todo|to-do|todos|to-dos [list] [:] {items*}", make: plan},
		{say: "make|write|create|start [me] [a] plan|todo|to-do|to-do_list|todo_list|list|task_list [:|of|with|for] {items*}", make: plan},
		{say: "make|write|create|start [me] [a] plan|todo|to-do_list|todo_list|task_list", make: plan},
	}
}

// plan makes a list of what stands on lines, or between semicolons or commas.
func plan(c captures) (intent, bool) {
	if !c.has("items") {
		return ask("todo_write", "items", "What is on the list? Separate the items with commas.")
	}
	text := strings.TrimLeft(c.raw["items"], ": ")
	sep := ","
	for _, s := range []string{";", "\n"} {
		if strings.Contains(text, s) {
			sep = s
		}
	}
	var items []any
	for one := range strings.SplitSeq(text, sep) {
		if one = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(one), "-*•[] ")); one != "" {
			items = append(items, one)
		}
	}
	if len(items) < 2 && !strings.ContainsAny(c.raw["items"], "-*•") && strings.Contains(text, " ") && sep == "," {
		return no()
	}
	return one("todo_write", args{"items": items})
}

func metaForms() []*form {
	say := func(text string) func(captures) (intent, bool) {
		return func(captures) (intent, bool) { return intent{reply: text}, true }
	}
	abilities := func(c captures) (intent, bool) { return intent{reply: c.talk.abilities()}, true }
	return []*form{
		{say: "help|hilfe|commands|examples|tools|?", make: abilities},
		{say: "what can|could you|i do|say|ask", make: abilities},
		{say: "what_else can you do", make: abilities},
		{say: "help me|us", make: abilities},
		{say: "list|show [me] [all|the|your] tools|commands|abilities|capabilities", make: abilities},
		{say: "which_tools_do_you_have|what_tools_do_you_have|how_can_you_help|how_do_you_work|what_do_you_understand|was_kannst_du", make: abilities},
		{say: "who|what|which are you|model_are_you|you", make: whoIs},
		{say: "who_are_you|what_are_you|are_you_an_ai|are_you_a_language_model|are_you_a_bot|are_you_human|which_model_are_you|what_model_are_you|what's_your_name|what_is_your_name|wer_bist_du", make: whoIs},
		{say: "how [do|can] [i] connect|use|add|set_up [to] [a|an|another|my] [language|real|local] model|llm|ai|provider", make: say(connect)},
		{say: "connect [a|to] [language] model", make: say(connect)},
		{say: "hi|hello|hey|good_morning|good_evening|hallo|moin|servus [there|hobkin]", make: whoIs},
		{say: "thanks|thank_you|thx|danke|cool|great|nice|perfect|ok|okay|good [very_much|a_lot|so_much|job|!]", make: say("You are welcome.")},
		{say: "how do|can i use [the] [tool] {name}", make: toolHelp},
		{say: "help|explain|describe|manual [me] [with|for|of] [the] [tool] {name}", make: toolHelp},
		{say: "what_does|what_is [the] [tool] {name} [tool] [do|for]", make: toolHelp},
	}
}

func whoIs(c captures) (intent, bool) {
	return intent{reply: identity + " " + howTo + "\n\n" + c.talk.samples() + "\n\nSay `help` to see everything, or connect a model: " + connect}, true
}

// toolHelp opens the manual of a tool that is offered.
func toolHelp(c captures) (intent, bool) {
	name := c.get("name")
	for _, t := range c.talk.tools {
		if strings.EqualFold(t.Name, name) || strings.EqualFold(strings.ReplaceAll(t.Name, "_", " "), name) {
			return one("tool_help", args{"name": t.Name})
		}
	}
	return no()
}

func accessForms() []*form {
	return []*form{
		{say: "get|request|ask_for|ask_me_for access to [the|my] [folder|directory] {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return one("request_directory_access", args{"path": c.get("path"), "reason": "You asked for it."})
		}},
	}
}
