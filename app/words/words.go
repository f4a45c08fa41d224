// Package words has the sentences of the background process in the language of
// the person: those of the tray, the notifications and the strip on the screen.
//
// They stand in the same files as those of the window. The window has its
// toolkit put them into words; that would cost a process that only waits several
// megabytes, for sentences without plurals.
package words

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"github.com/jeandeaual/go-locale"

	"github.com/hobkin/hobkin/assets"
)

// Words are the sentences of one language, by their English. Nil Words are
// English.
type Words map[string]string

// In returns the words of a language, such as de, de_DE.UTF-8 or zh-Hans. An empty
// one is the system's; one that is not known is English.
func In(language string) Words {
	wanted := []string{language}
	if language == "" {
		var err error
		if wanted, err = locale.GetLocales(); err != nil {
			slog.Warn("words: the language of the system", "error", err)
		}
	}
	for _, name := range wanted {
		switch file := assets.Language(name); file {
		case "":
		case "lang/en.json":
			return nil // the keys are English themselves
		default:
			return load(file)
		}
	}
	return nil
}

// L is an English sentence in the language. Pairs are the names and values of its
// {{.Name}} places, in turn.
func (w Words) L(key string, pairs ...string) string {
	text := key
	if own, ok := w[key]; ok {
		text = own
	}
	if len(pairs) == 0 {
		return text
	}
	places := make([]string, len(pairs))
	copy(places, pairs)
	for i := 0; i < len(places); i += 2 {
		places[i] = "{{." + places[i] + "}}"
	}
	return strings.NewReplacer(places...).Replace(text)
}

// Foreign translates a sentence that the core wrote, where the language has it;
// else it stays as it is.
func (w Words) Foreign(text string) string {
	if own, ok := w[text]; ok && !strings.Contains(text, "{{") {
		return own
	}
	return text
}

// loaded are the languages that were asked for, by file.
var loaded sync.Map

func load(file string) Words {
	if w, ok := loaded.Load(file); ok {
		return w.(Words)
	}
	raw, err := assets.Languages.ReadFile(file)
	var w Words
	if err == nil {
		err = json.Unmarshal(raw, &w)
	}
	if err != nil {
		slog.Error("words: reading a language of the program", "file", file, "error", err)
		return nil
	}
	loaded.Store(file, w)
	return w
}
