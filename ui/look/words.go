package look

import (
	"encoding/json"
	"strings"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/ui/say"
)

// known are the keys of the language files.
var known = sync.OnceValue(func() map[string]string {
	keys := map[string]string{}
	raw, err := assets.Languages.ReadFile("lang/en.json")
	if err == nil {
		err = json.Unmarshal(raw, &keys)
	}
	if err != nil {
		return map[string]string{} // the keys are English themselves
	}
	return keys
})

// AddLanguages makes the languages known and picks one, such as de; an empty or an
// unknown one is the system's.
func AddLanguages(want string) error {
	file := assets.Language(want)
	if file == "" {
		return lang.AddTranslationsFS(assets.Languages, "lang")
	}
	raw, err := assets.Languages.ReadFile(file)
	if err != nil {
		return err
	}
	// The toolkit speaks no other language than the system's, so that one gets the
	// words; where it does not know that, English, which it falls back to.
	err = lang.AddTranslationsForLocale(raw, fyne.Locale(lang.SystemLocale().LanguageString()))
	if err != nil {
		return lang.AddTranslationsForLocale(raw, "en")
	}
	return nil
}

// L is an English sentence in the language of the system. Pairs are the names
// and values of its {{.Name}} places, in turn.
func L(key string, pairs ...any) string { return Say(say.P(key, pairs...)) }

// Say puts a phrase into the language of the system.
func Say(p say.Phrase) string {
	switch {
	case p.Key == "":
		return ""
	case p.Args == nil:
		return lang.L(p.Key)
	}
	args := make(map[string]any, len(p.Args))
	for name, v := range p.Args {
		switch v := v.(type) {
		case say.Number:
			args[name] = Number(v)
		case say.Phrase:
			args[name] = Say(v)
		default:
			args[name] = v
		}
	}
	return lang.L(p.Key, args)
}

// Number writes a number as the language of the system does.
func Number(n say.Number) string {
	return strings.ReplaceAll(string(n), ".", lang.X("decimal mark", "."))
}

// Foreign translates a sentence that the core wrote, where the language files
// have it; else it stays as it is. Unlike a key of ours it may hold anything.
func Foreign(s string) string {
	if _, ok := known()[s]; ok && !strings.Contains(s, "{{") {
		return lang.L(s)
	}
	return s
}
