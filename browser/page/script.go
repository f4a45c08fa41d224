package page

import (
	"embed"
	"strings"
)

//go:embed script/*.js
var scripts embed.FS

// parts are the files of the script, each after those that it builds on.
var parts = []string{"dom", "refs", "visible", "names", "roles", "states", "snapshot", "ready", "act", "main"}

// script joins the parts to one function that runs once in a world.
func script() (string, error) {
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (globalThis.hobkin) return;\n")
	for _, name := range parts {
		text, err := scripts.ReadFile("script/" + name + ".js")
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(string(text)) { // comments and blanks would be read anew in every document
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				b.WriteString(line + "\n")
			}
		}
	}
	b.WriteString("})()")
	return b.String(), nil
}
