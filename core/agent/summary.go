package agent

import (
	"encoding/json"
	"strings"
	"unicode"
)

// telling are the parameters that say most of what a call touches, the most
// telling first.
var telling = []string{
	"command", "pattern", "query", "url", "path", "paths", "file", "from", "to",
	"name", "session", "id", "title", "question", "message", "text", "action",
}

// Summary says in a few words what a call touches, for its card: the first
// telling parameter, in one line of at most 80 characters. It is empty when
// there is none.
func Summary(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil {
		return ""
	}
	for _, key := range telling {
		if s := oneLine(m[key]); s != "" {
			return s
		}
	}
	return ""
}

// oneLine shows a text, or a list of texts, without breaks.
func oneLine(v any) string {
	var words []string
	switch v := v.(type) {
	case string:
		words = []string{v}
	case []any:
		for _, item := range v {
			if s, ok := item.(string); ok {
				words = append(words, s)
			}
		}
	}
	line := strings.Join(strings.FieldsFunc(strings.Join(words, ", "), unwanted), " ")
	const most = 80
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return line
}

// unwanted are runs of blanks, and what could break a line or turn its direction.
func unwanted(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
