package offline

import (
	"slices"
	"strings"
)

func forgetForms() []*form {
	return []*form{
		{say: "forget [what_you_know_about|what_you_remember_about|about|that] {query*}", make: forget},
		{say: "vergiss [was_du_weißt_über|dass] {query*}", make: forget},
		{say: "forget [something]", make: func(captures) (intent, bool) {
			return ask("memory_forget", "query", "What should I forget?")
		}},
	}
}

// forget forgets what [remember] keeps under the same words.
func forget(c captures) (intent, bool) {
	q := strings.ToLower(c.get("query"))
	key := keyOf(q)
	if key == "" || slices.Contains(strings.Fields("it that this everything all them me something"), q) {
		return no()
	}
	return one("memory_forget", args{"key": key})
}
