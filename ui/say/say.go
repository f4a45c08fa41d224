// Package say has sentences for the window before they are put into a language.
//
// The models of the window speak in [Phrase]s, so that they need no toolkit and
// no language; package look turns a phrase into words when it is drawn.
package say

// A Phrase is a sentence for people: an English text that is also its key in
// the language files, and what stands in its {{.Name}} places.
type Phrase struct {
	Key  string
	Args map[string]any
}

// P makes a phrase. Pairs are names and values, in turn.
func P(key string, pairs ...any) Phrase {
	p := Phrase{Key: key}
	for i := 0; i+1 < len(pairs); i += 2 {
		if p.Args == nil {
			p.Args = map[string]any{}
		}
		p.Args[pairs[i].(string)] = pairs[i+1]
	}
	return p
}

// IsZero reports whether there is nothing to say.
func (p Phrase) IsZero() bool { return p.Key == "" }

// A Number is a number in English writing, as an argument of a phrase: package
// look gives it the decimal mark of the language.
type Number string

// Raw is a text that is shown as it is, in whatever language it has.
func Raw(text string) Phrase { return P("{{.Text}}", "Text", text) }

// An Error is a failure of the window's own, in a phrase.
type Error struct{ Phrase }

// Error is the English key; the window shows the phrase.
func (e Error) Error() string { return e.Key }

// Err makes an error of a phrase.
func Err(key string, pairs ...any) error { return Error{P(key, pairs...)} }
