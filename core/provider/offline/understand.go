package offline

import (
	"slices"
	"strings"
)

// understand finds what the last message wants, as an answer to a question of
// ours when there was one.
func (m *model) understand(t *talk) intent {
	var open intent
	for _, e := range t.earlier {
		open = m.read(e.said, open, t)
		if open.question == "" || strings.TrimSpace(e.answered) != open.question {
			open = intent{} // it was answered, or someone else did
		}
	}
	return m.read(t.text, open, t)
}

// read understands one message. open is the request that our question was
// about, if one is open.
func (m *model) read(text string, open intent, t *talk) intent {
	fresh := m.fresh(text, t)
	if open.question == "" {
		return fresh
	}
	msg := split(text).plain()
	switch {
	case isNo(msg):
		return intent{reply: "All right, I leave it."}
	case open.missing != "when" && understood(fresh) && (!freeText(open.missing) || strings.HasPrefix(strings.TrimSpace(text), "/")):
		return fresh
	}
	if in, ok := open.fill(bareAnswer(msg, freeText(open.missing))); ok {
		return in
	}
	if understood(fresh) {
		return fresh
	}
	return open // the answer does not do: asked again
}

// fill understands a request anew with what was missing.
func (in intent) fill(value string) (intent, bool) {
	if value == "" {
		return intent{}, false
	}
	found := in.found.with(in.missing, value)
	out, ok := in.form.make(found)
	if !ok {
		return intent{}, false
	}
	out.form, out.found = in.form, found
	return out, true
}

func understood(in intent) bool { return len(in.steps) > 0 || in.reply != "" || in.question != "" }

// freeText reports whether any text can answer: then an answer that sounds like
// a request is an answer all the same.
func freeText(slot string) bool {
	return slices.Contains([]string{"content", "text", "task", "message", "fact", "old", "new", "query", "command"}, slot)
}

func isNo(msg message) bool {
	said := make([]string, len(msg.words))
	for i, w := range msg.words {
		said[i] = w.low
	}
	return slices.Contains([]string{"no", "nothing", "cancel", "stop", "never mind", "nevermind", "forget it", "leave it", "nein", "nichts", "abbrechen", "vergiss es"}, strings.Join(said, " "))
}

// bareAnswer is what a short answer names, without the words around it.
func bareAnswer(msg message, free bool) string {
	for !free && len(msg.words) > 1 && !msg.words[0].quoted &&
		slices.Contains([]string{"the", "a", "my", "file", "folder", "directory", "it's", "it", "is", "in", "named", "called", "use", "die", "das", "der", "datei", "ordner"}, msg.words[0].low) {
		msg.words = msg.words[1:]
	}
	switch {
	case len(msg.words) == 0:
		return ""
	case free && !msg.words[0].quoted:
		return strings.TrimSpace(msg.src)
	}
	return msg.span(0, len(msg.words))
}

// mostWords bounds what is read word by word. A longer message is a text, not
// a request.
const mostWords = 200

// fresh understands a message on its own.
func (m *model) fresh(text string, t *talk) intent {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return intent{}
	case strings.HasPrefix(text, "/"):
		if in, ok := slash(text[1:], t); ok {
			return in
		}
	case strings.HasPrefix(text, "$ "), strings.HasPrefix(text, "! "):
		in, _ := one("shell", args{"command": strings.TrimSpace(text[2:])})
		return in
	}
	whole := split(text)
	if len(whole.words) > mostWords {
		return intent{}
	}
	now := m.now()
	polite := whole.plain()
	for _, msg := range []message{polite, whole} {
		for _, f := range forms() {
			if in, ok := f.match(msg, t, now); ok {
				return in
			}
		}
		if len(polite.words) == len(whole.words) {
			break
		}
	}
	return intent{}
}
