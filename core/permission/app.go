package permission

import (
	"fmt"
	"slices"
	"strings"
)

// Programs on the screen: what a call would use of them is agreed to program by
// program.

// appPattern checks the name of a program in a rule. A * alone is any program.
func appPattern(text string) (string, error) {
	text = strings.ToLower(text)
	if text == "" || text != "*" && strings.ContainsAny(text, "*/\\:\"") {
		return "", fmt.Errorf("%q is no program such as gedit; a * alone stands for any", text)
	}
	return text, nil
}

// appFits compares a program with a pattern. One that could not be told fits
// none.
func (p pattern) appFits(app string) bool {
	return p.kind == matchApp && app != "" && (p.text == "*" || p.text == app)
}

// appsCovered reports whether each program of a call is allowed.
func (s *subject) appsCovered(fit []pattern) bool {
	for _, app := range s.preview.Apps {
		if !slices.ContainsFunc(fit, func(p pattern) bool { return p.appFits(app) }) {
			return false
		}
	}
	return true
}
