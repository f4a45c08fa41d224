package assets

import (
	"embed"
	"strings"
)

// Languages are the sentences of the windows, the tray and the notifications,
// under lang/, a file a language. Each is keyed by the English sentence.
//
//go:embed lang/*.json
var Languages embed.FS

// Language is the file of a language, such as de, de_DE.UTF-8 or zh-Hans; empty when
// there is none.
func Language(name string) string {
	files, err := Languages.ReadDir("lang")
	if err != nil {
		return "" // it is part of the program
	}
	for _, f := range files {
		if base(strings.TrimSuffix(f.Name(), ".json")) == base(name) {
			return "lang/" + f.Name()
		}
	}
	return ""
}

// base is the part of a language's name that says which it is.
func base(name string) string {
	if i := strings.IndexAny(name, "-_.@"); i >= 0 {
		name = name[:i]
	}
	return strings.ToLower(name)
}
